//go:build unix

package check

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

func TestAHookIsReadAsBashReadsIt(t *testing.T) {
	is := is.New(t)
	const hook = good + "-- server.d/policy.sh --\n#!/bin/sh\na=(1 2)\nmcp_tools_policy_check() { :; }\n"
	o := options()
	o.Hooks = hooks.Rules{Allowed: true}
	is.Equal(rules(checked(t, folderOf(t, hook), o)), "") // whatever its first line says
	is.Equal(rules(checked(t, folderOf(t, good+"-- server.d/policy.sh --\nif\n"), o)),
		"error syntax server.d/policy.sh:1:1")
}

func TestAPolicyThatDecidesNothingIsFound(t *testing.T) {
	const warning = "warning no-policy-check server.d/policy.sh"
	for name, c := range map[string]struct{ text, want string }{
		"its function":       {"function mcp_tools_policy_check {\n:\n}", ""},
		"within a condition": {"if true; then mcp_tools_policy_check() { :; }; fi", ""},
		"a slip": {"set -eu\nmcp_tool_policy_check() { return 1; }",
			warning + ":2:1; rename mcp_tool_policy_check to mcp_tools_policy_check"},
		"another name": {"decide() { return 1; }",
			warning + ":1; define it: mcp_tools_policy_check() { ...; }, which returns 1 to refuse a call"},
		"nothing": {"command -v jq",
			warning + ":1; define it: mcp_tools_policy_check() { ...; }, which returns 1 to refuse a call"},
		"a library":      {`. "$MCPBASH_PROJECT_ROOT/lib/policy.sh"`, ""},
		"builtin source": {`builtin source rules.sh`, ""},
		"eval":           {`eval "$RULES"`, ""},
		"a status":       {`[ "$OPEN" = yes ] || return 1`, ""},
		"allowed":        {"# mcp-bash: allow no-policy-check\ndecide() { :; }", ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			o := options()
			o.Hooks = hooks.Rules{Allowed: true}
			r := checked(t, folderOf(t, good+"-- server.d/policy.sh --\n"+c.text+"\n"), o)
			got := rules(r)
			if len(r.Messages) == 1 {
				got += "; " + r.Messages[0].Hint
			}
			is.Equal(got, c.want)
		})
	}
}

func TestHooksThatOthersCanWriteAreErrors(t *testing.T) {
	is := is.New(t)
	o := options()
	o.Hooks = hooks.Rules{Allowed: true}
	is.Equal(rules(checked(t, folderOf(t, good+"-- server.d/policy.sh --\nmcp_tools_policy_check() { :; }\n"), o)), "")
	is.Equal(rules(checked(t, folderOf(t, good+"-- 666 server.d/policy.sh --\nmcp_tools_policy_check() { :; }\n"), o)),
		"error hook-unsafe server.d/policy.sh")
	is.Equal(rules(checked(t, folderOf(t, good+"-- 666 server.d/health-checks.sh --\n"), o)),
		"warning hook-unsafe server.d/health-checks.sh")
}
