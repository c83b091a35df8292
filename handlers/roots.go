package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Roots tracks the folders that the client works in.
type Roots struct{ Known *ClientRoots }

// Changed handles notifications/roots/list_changed (RO-03).
func (r Roots) Changed(context.Context, noParams) (mcp.Empty, error) {
	r.Known.Forget()
	return mcp.Empty{}, nil
}

// askRoots returns a func that asks the client of a dialog for the paths of its folders:
// once, when they are first needed (RO-05, RO-06).
func askRoots(d dialog, of *ClientRoots) func(context.Context) ([]string, error) {
	var mu sync.Mutex
	var asked bool
	var known []string
	return func(ctx context.Context) ([]string, error) {
		mu.Lock()
		defer mu.Unlock()
		if !asked {
			asked = true
			answer := d.Ask(ctx, sdk.Question{Method: "roots/list", Params: json.RawMessage("{}")})[0]
			if known = roots.Paths(of.Named(answer.Result)); len(known) == 0 {
				known = roots.Paths(of.Fallback)
			}
		}
		return known, nil
	}
}

// AskRoots returns a func that asks the client for its roots, if it has declared roots (RO-01).
func AskRoots(s *mcp.Session) func(context.Context) (json.RawMessage, error) {
	return func(ctx context.Context) (json.RawMessage, error) {
		if s.Client().Roots == nil {
			return nil, errors.New("the client does not support roots")
		}
		return pipeline.From(ctx).Call(ctx, "roots/list", nil)
	}
}
