package wrap

import (
	"bytes"
	"context"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A kind is something that servers list, and that clients use by a name.
type kind struct {
	noun   string
	list   string // the method that lists it
	member string // of the result, with the list
	key    string // the member with its name, of an item of the list and of the params of use
	use    string // the method that uses it; empty for none
	grows  bool   // lists of it are data: there is more tomorrow
}

var kinds = []kind{
	{noun: "tool", list: "tools/list", member: "tools", key: "name", use: "tools/call"},
	{noun: "prompt", list: "prompts/list", member: "prompts", key: "name", use: "prompts/get"},
	{noun: "resource", list: "resources/list", member: "resources", key: "uri", use: "resources/read", grows: true},
	{noun: "template", list: "resources/templates/list", member: "resourceTemplates", key: "uriTemplate"},
}

// A rule decides what clients see and use of a server.
type rule struct {
	kinds []kind
	// use returns why something must not be used, nil if it may.
	use func(k kind, name string) error
	// show returns those items of a page of a list that may be seen. last: no page follows.
	show func(k kind, page []json.Value, last bool) ([]json.Value, error)
}

// stage returns the stage that applies the rule. A list of which everything is shown keeps its bytes.
func (r rule) stage(name string) pipeline.Middleware {
	return pipeline.Middleware{
		Name: name,
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Method() != "" {
				if twice := json.Ambiguous(m.Line(), "method", "params"); twice != "" {
					return nil, pipeline.Errorf(jsonrpc2.CodeInvalidRequest, "invalid request: two spellings of %q", twice)
				}
			}
			for _, k := range r.kinds {
				switch {
				case m.Method() == k.use && k.use != "":
					if err := m.Decode(&struct{}{}); err != nil { // an array, whose first element may be the name
						return nil, err
					}
					if twice := json.Ambiguous(m.Params(), k.key); twice != "" {
						return nil, pipeline.Errorf(jsonrpc2.CodeInvalidParams, "invalid params: two spellings of %q", twice)
					}
					if err := r.use(k, json.Text(json.Value(pipeline.Member(m.Params(), k.key)))); err != nil {
						return nil, err
					}
				case m.Method() == k.list && m.Kind() == pipeline.Call:
					answer, err := next(ctx, m)
					if err != nil || answer == nil || answer.Kind() != pipeline.Response || answer.Fault() != nil {
						return answer, err
					}
					return r.shown(k, answer)
				}
			}
			return next(ctx, m)
		},
	}
}

// shown returns the answer of a list without what is not shown.
func (r rule) shown(k kind, answer *pipeline.Message) (*pipeline.Message, error) {
	result := answer.Result()
	if twice := json.Ambiguous(result, k.member); twice != "" {
		return nil, fmt.Errorf("%w: the server lists its %s under two spellings of %q", pipeline.ErrInternal, k.member, twice)
	}
	cursor, _ := json.Find(result, "nextCursor")
	var failed error
	left := json.Edit(result, func(m json.Member) json.Value {
		page := json.Elements(m.Value)
		if m.Name != k.member || page == nil { // not a list, and no client takes it for one
			return m.Value
		}
		shown, err := r.show(k, page, json.Text(cursor.Value) == "")
		if failed = err; len(shown) == len(page) {
			return m.Value
		}
		return json.Array(shown)
	})
	if failed != nil || bytes.Equal(left, result) {
		return answer, failed
	}
	return answer.WithResult(json.Value(left))
}
