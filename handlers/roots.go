package handlers

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/roots"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// Roots keeps up with the folders that the client works in.
type Roots struct{ Known *roots.Roots }

// Changed takes notifications/roots/list_changed (RO-03).
func (r Roots) Changed(context.Context, empty) (empty, error) {
	r.Known.Forget()
	return empty{}, nil
}

// AskRoots asks the client for its roots, if it has said that it has any
// (RO-01).
func AskRoots(s *mcp.Session) func(context.Context) (json.RawMessage, error) {
	return func(ctx context.Context) (json.RawMessage, error) {
		if s.Client().Roots == nil {
			return nil, errors.New("it has declared no roots")
		}
		return pipeline.From(ctx).Call(ctx, "roots/list", nil)
	}
}
