package mcp

import "encoding/json"

// LogParams are the params of notifications/message. Data is any JSON.
type LogParams struct {
	Level  Level  `json:"level"`
	Logger string `json:"logger,omitzero"`
	Data   any    `json:"data"`
	Meta   Trace  `json:"_meta,omitzero"`
}

// ProgressParams are the params of notifications/progress. The token is the client's, of its type
// (P-01); an absent total is unknown.
type ProgressParams struct {
	ProgressToken json.RawMessage `json:"progressToken"`
	Progress      json.RawMessage `json:"progress"`
	Total         json.RawMessage `json:"total,omitzero"`
	Message       string          `json:"message,omitzero"`
	Meta          Trace           `json:"_meta,omitzero"`
}
