package handlers

import (
	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/project"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// page cuts a page out of a list: what the client asks for, else size items. A
// cursor that is not one of the list, or no longer, is refused (PG-02).
func page[T any](list project.Listing[T], p mcp.ListParams, size int) (items []T, next string, meta map[string]any, err error) {
	if p.Limit > 0 {
		size = p.Limit
	}
	items, next, err = list.Page(p.Cursor, size)
	if err != nil {
		return nil, "", nil, pipeline.Errorf(-32602, "Invalid cursor")
	}
	return items, next, map[string]any{"mcpbash/total": len(list.Items)}, nil
}
