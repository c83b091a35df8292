package handlers

import (
	"context"
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/sdk"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// ask sends a tool's question to the client, in the words of its revision, and
// returns the result. What the client has not declared is not asked (EL-01,
// SA-01).
func ask(s *mcp.Session) func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		client, revision := s.Client(), s.Revision()
		switch method {
		case "elicitation/create":
			var mode struct {
				Mode string `json:"mode"`
			}
			if err := jsonv2.Unmarshal(params, &mode, jsontext.AllowInvalidUTF8(true)); err != nil {
				return nil, err
			}
			if !client.Elicits(revision, mode.Mode) {
				return nil, sdk.ErrUnsupported
			}
			if !revision.ElicitationModes {
				var err error
				if params, err = without(params, "mode"); err != nil {
					return nil, err
				}
			}
		case "sampling/createMessage":
			if client.Sampling == nil {
				return nil, sdk.ErrUnsupported
			}
		default:
			return nil, sdk.ErrUnsupported
		}
		return pipeline.From(ctx).Call(ctx, method, params)
	}
}

// without returns an object without one of its members.
func without(object json.RawMessage, name string) (json.RawMessage, error) {
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(object, &members, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	delete(members, name)
	return jsonv2.Marshal(members, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}
