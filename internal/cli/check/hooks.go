package check

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// policyHook is the hook that decides about each call, by its function decider.
const (
	policyHook = "policy.sh"
	decider    = "mcp_tools_policy_check"
)

// unrun reports hooks in server.d/ and scripts of interceptors that would not run. The server itself reports
// register.sh and register.json.
func (c *contents) unrun() {
	c.unsafe("hooks", filepath.Join(c.project.ServerDir(), policyHook), Error, "all calls of tools are refused")
	c.unsafe("hooks", filepath.Join(c.project.ServerDir(), "health-checks.sh"), Warning,
		"`mcp-bash health` leaves its checks out")
	for _, rule := range c.rules {
		if s := rule.Server; s != nil && !strings.Contains(s[0], "/") && process.LookPath(s[0], c.options.Env) == "" {
			c.report(Message{Level: Warning, Section: "interceptors", File: c.project.Rel(rule.MetadataFile), Rule: "no-program",
				Message: "server: " + s[0] + " is not on the PATH here; where it is not found, nothing passes",
				Hint:    "install it, or write its path"})
		}
		switch {
		case rule.JQ != "":
		case rule.Rule.FailOpen || rule.Rule.Mode == interceptor.Audit:
			c.unsafe("interceptors", rule.Source(), Warning, "it has no effect")
		default:
			c.unsafe("interceptors", rule.Source(), Error, "the messages that it is for are refused")
		}
	}
}

// unsafe reports a script that the server does not run, for it is not safe from others.
func (c *contents) unsafe(section, path string, level Level, without string) {
	err := c.options.Hooks.Check(c.project.Root(), path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	m := Message{Level: level, Section: section, File: c.project.Rel(path), Rule: "hook-unsafe",
		Message: "does not run, so " + without, Hint: err.Error()}
	if errors.Is(err, hooks.ErrNotAllowed) {
		m.Rule, m.Hint = "hook-not-allowed", "set MCPBASH_ALLOW_PROJECT_HOOKS=true where the server is started"
	}
	c.report(m)
}

// undecided reports a policy.sh without the function that decides, which allows all calls. A script
// that takes functions from elsewhere, or that returns or exits by itself, may decide in another way.
func (s shellScript) undecided() []Message {
	var names []string
	places := make(map[string]syntax.Pos)
	for f := range nodes[*syntax.FuncDecl](s.tree) {
		if f.Name != nil {
			names = append(names, f.Name.Value)
			places[f.Name.Value] = f.Pos()
		}
	}
	if slices.Contains(names, decider) || s.includes() || s.returns() {
		return nil
	}
	m := Message{Level: Warning, Rule: "no-policy-check", Line: 1,
		Message: "defines no function " + decider + ", so it refuses no call",
		Hint:    "define it: " + decider + "() { ...; }, which returns 1 to refuse a call"}
	if meant := suggest.Of(decider, names); meant != "" {
		m.Hint = "rename " + meant + " to " + decider
		m = at(places[meant], m)
	}
	return []Message{m}
}

// includes reports whether a script may define functions that are not written in it.
func (s shellScript) includes() bool {
	for call := range nodes[*syntax.CallExpr](s.tree) {
		for _, w := range call.Args[:min(len(call.Args), 2)] { // also as in: builtin source
			if slices.Contains([]string{".", "source", "eval"}, w.Lit()) {
				return true
			}
		}
	}
	return false
}

// returns reports whether a script returns or exits outside of its functions.
func (s shellScript) returns() (found bool) {
	syntax.Walk(s.tree, func(node syntax.Node) bool {
		if call, ok := node.(*syntax.CallExpr); ok {
			found = found || slices.Contains([]string{"return", "exit"}, nameOf(call))
		}
		_, function := node.(*syntax.FuncDecl)
		return !function
	})
	return found
}
