package mcp

import "encoding/json"

// Tool is an item of tools/list.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitzero"`
	Description  string          `json:"description,omitzero"`
	Icons        json.RawMessage `json:"icons,omitzero"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitzero"`
	Annotations  json.RawMessage `json:"annotations,omitzero"`
	Meta         json.RawMessage `json:"_meta,omitzero"`
}

// In returns t as revision r knows it.
func (t Tool) In(r *Revision) Tool {
	if !r.ToolAnnotations {
		t.Annotations = nil
	}
	if !r.Titles {
		t.Title = ""
	}
	if !r.StructuredOutput {
		t.OutputSchema = nil
	}
	if !r.Meta {
		t.Meta = nil
	}
	if !r.Icons {
		t.Icons = nil
	}
	return t
}

// ListParams ask for a page of a list. Limit is an extension of ours.
type ListParams struct {
	Cursor string `json:"cursor"`
	Limit  int    `json:"limit"`
}

// ListToolsResult is a page of tools.
type ListToolsResult struct {
	Tools      []Tool         `json:"tools"`
	NextCursor string         `json:"nextCursor,omitzero"`
	Meta       map[string]any `json:"_meta,omitzero"`
}

// CallToolParams call a tool. TimeoutSecs is an extension of ours.
type CallToolParams struct {
	Name        string          `json:"name"`
	Arguments   json.RawMessage `json:"arguments"`
	TimeoutSecs json.RawMessage `json:"timeoutSecs"`
	Meta        json.RawMessage `json:"_meta"`
}

// CallToolResult is what came of a call. Content is never absent (T-07).
type CallToolResult struct {
	Content           []Content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitzero"`
	IsError           bool            `json:"isError,omitzero"`
	Meta              map[string]any  `json:"_meta,omitzero"`
}
