package mcp

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

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
	r.trim(&t.Title, &t.Icons, &t.Meta)
	if !r.ToolAnnotations {
		t.Annotations = nil
	}
	if t.OutputSchema != nil && (!r.StructuredOutput || !r.StructuredAny && !describesObjects(t.OutputSchema)) {
		t.OutputSchema = nil
	}
	return t
}

// describesObjects reports whether the root of a schema has the type object, as older revisions
// require (T-10).
func describesObjects(schema json.RawMessage) bool {
	var root struct {
		Type json.Value `json:"type"`
	}
	return json.Unmarshal(schema, &root, json.Lenient) == nil && string(root.Type) == `"object"`
}

// ListParams are the params of a request for a page of a list; without a cursor it is the first.
// Limit is an extension of ours.
type ListParams struct {
	Cursor *string `json:"cursor"`
	Limit  int     `json:"limit"`
	Params
}

// CallToolParams are the params of tools/call. TimeoutSecs is an extension of ours.
type CallToolParams struct {
	Name        string          `json:"name"`
	Arguments   json.RawMessage `json:"arguments"`
	TimeoutSecs json.RawMessage `json:"timeoutSecs"`
	Params
	RetryParams
}

// CallToolResult is the result of tools/call. Content is never absent (T-07), nor is IsError:
// absent means false, but scripts that read results compare with it.
type CallToolResult struct {
	Content           []Content       `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent,omitzero"`
	IsError           bool            `json:"isError"`
	Result
}
