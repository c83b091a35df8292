package wrap

import (
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
// patterns it does nothing.
func (t Tools) Stage() pipeline.Middleware {
	if len(t.Allow)+len(t.Deny) == 0 {
		return pipeline.Middleware{Name: "tools"}
	}
	return rule{
		kinds: kinds[:1],
		use: func(_ kind, name string) error {
			if t.allowed(name) {
				return nil
			}
			return pipeline.Errorf(jsonrpc2.CodeInvalidParams, "Unknown tool: %s", name)
		},
		show: func(k kind, page []json.Value, _ bool) (shown []json.Value, err error) {
			for _, tool := range page {
				name, _ := json.Find(tool, k.key)
				if json.Ambiguous(tool, k.key) == "" && t.allowed(json.Text(name.Value)) {
					shown = append(shown, tool)
				}
			}
			return shown, nil
		},
	}.stage("tools")
}
