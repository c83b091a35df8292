package wrap

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Tools are the tools of a server that its clients may use: those that a pattern of Allow matches, all if there are
// none, and no pattern of Deny. Patterns are those of [path.Match], but a star also matches slashes.
type Tools struct{ Allow, Deny []string }

// Check returns an error for a pattern that is none.
func (t Tools) Check() error {
	for _, pattern := range append(t.Allow[:len(t.Allow):len(t.Allow)], t.Deny...) {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return fmt.Errorf("%q is not the name of a tool, nor a pattern such as read_*", pattern)
		}
	}
	return nil
}

func (t Tools) allowed(name string) bool {
	return (len(t.Allow) == 0 || matches(t.Allow, name)) && !matches(t.Deny, name)
}

func matches(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if ok, _ := path.Match(flat.Replace(pattern), flat.Replace(name)); ok {
			return true
		}
	}
	return false
}

// flat leaves no slash, at which a star would stop.
var flat = strings.NewReplacer("/", "\x00")

// Stage returns the stage that hides the other tools: they are not listed, and calls of them are refused. Without
// patterns it does nothing. A list that has none of them keeps its bytes.
func (t Tools) Stage() pipeline.Middleware {
	m := pipeline.Middleware{Name: "tools"}
	if len(t.Allow)+len(t.Deny) == 0 {
		return m
	}
	m.Inbound = func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
		if m.Method() != "" {
			if twice := ambiguous(m.Line(), "method", "params"); twice != "" {
				return nil, pipeline.Errorf(jsonrpc2.CodeInvalidRequest, "invalid request: two spellings of %q", twice)
			}
		}
		if twice := ambiguous(m.Params(), "name"); twice != "" {
			return nil, pipeline.Errorf(jsonrpc2.CodeInvalidParams, "invalid params: two spellings of %q", twice)
		}
		switch {
		case m.Method() == "tools/call":
			if name := json.Text(json.Value(pipeline.Member(m.Params(), "name"))); !t.allowed(name) {
				return nil, pipeline.Errorf(jsonrpc2.CodeInvalidParams, "Unknown tool: %s", name)
			}
		case m.Method() == "tools/list" && m.Kind() == pipeline.Call:
			answer, err := next(ctx, m)
			if err != nil || answer == nil || answer.Kind() != pipeline.Response || answer.Fault() != nil {
				return answer, err
			}
			result := answer.Result()
			if shown := t.shown(result); !bytes.Equal(shown, result) {
				return answer.WithResult(json.Value(shown))
			}
			return answer, nil
		}
		return next(ctx, m)
	}
	return m
}

// ambiguous returns a name that an object has twice, or in another spelling: its reader might take another member than
// the one that is checked here, as Go's encoding/json does. Empty: there is none.
func ambiguous(object []byte, names ...string) string {
	for _, name := range names {
		n := 0
		for m, err := range json.Members(object, '{', json.Lenient) {
			if err == nil && strings.EqualFold(m.Name, name) {
				if n++; n > 1 || m.Name != name {
					return name
				}
			}
		}
	}
	return ""
}

// shown returns the result of tools/list without the tools that are hidden.
func (t Tools) shown(result []byte) []byte {
	return json.Edit(result, func(m json.Member) json.Value {
		if m.Name != "tools" {
			return m.Value
		}
		left, all := []byte("["), true
		for tool, err := range json.Members(m.Value, '[', json.Lenient) {
			if err != nil {
				return m.Value // not a list of tools, and no client takes it for one
			}
			found, _ := json.Find(tool.Value, "name")
			if !t.allowed(json.Text(found.Value)) {
				all = false
				continue
			}
			if len(left) > 1 {
				left = append(left, ',')
			}
			left = append(left, tool.Value...)
		}
		if all {
			return m.Value
		}
		return append(left, ']')
	})
}
