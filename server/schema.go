package server

import (
	"context"
	"encoding/json"
)

// InputSchema returns the input schema of a tool, nil if there is no such tool or it has none: for
// transports that inspect arguments, as Streamable HTTP does for x-mcp-header.
func (s *Server) InputSchema(ctx context.Context, tool string) json.RawMessage {
	p := s.project
	if p == nil {
		return nil
	}
	s.begin()
	t, err := p.Tool(ctx, tool)
	if err != nil {
		return nil
	}
	return json.RawMessage(t.InputSchema)
}
