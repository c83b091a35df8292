package handlers

import (
	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/project"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// page cuts a page out of a list: what the client asks for, else size items. A
// cursor that is not one of the list, or no longer, is refused (PG-02).
func page[T any](list project.Listing[T], p mcp.ListParams, size int) (items []T, next string, meta mcp.Result, err error) {
	if p.Limit > 0 {
		size = p.Limit
	}
	items, next, err = list.Page(p.Cursor, size)
	if err != nil {
		return nil, "", meta, pipeline.Errorf(-32602, "Invalid cursor")
	}
	return items, next, total(len(list.Items)), nil
}

// total tells how long a list is, in an extension of ours.
func total(n int) mcp.Result {
	return mcp.Result{Meta: map[string]any{"mcpbash/total": n}}
}
