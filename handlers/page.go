package handlers

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// page cuts a page out of a list: what the client asks for, else size items, each
// as show shows it. A cursor that is not one of the list, or no longer, is refused
// (PG-02).
func page[T, W any](list project.Listing[T], p mcp.ListParams, size int, show func(T) W) (shown []W, next string, meta mcp.Result, err error) {
	if p.Limit > 0 {
		size = p.Limit
	}
	cursor := ""
	if p.Cursor != nil {
		cursor = *p.Cursor
	}
	items, next, err := list.Page(cursor, size)
	if err != nil || p.Cursor != nil && cursor == "" {
		return nil, "", meta, pipeline.Errorf(-32602, "Invalid cursor")
	}
	shown = make([]W, len(items)) // never nil
	for i, item := range items {
		shown[i] = show(item)
	}
	meta.Meta = map[string]any{"mcpbash/total": len(list.Items)} // how long the list is, in an extension of ours
	return shown, next, meta, nil
}
