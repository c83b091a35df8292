package hooks_test

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func TestAllToolsAreAllowedUnlessTheOperatorSaysOtherwise(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy hooks.Policy
		tool   string
		want   string // "" is allowed
	}{
		{"nothing said", hooks.Policy{}, "a", ""},
		{"named", hooks.Policy{Allow: []string{"a", "b"}}, "a", ""},
		{"not named", hooks.Policy{Allow: []string{"b"}}, "a", "Tool 'a' blocked by policy (not in MCPBASH_TOOL_ALLOWLIST)"},
		{"all", hooks.Policy{Allow: []string{"all"}, Deny: true}, "a", ""},
		{"star", hooks.Policy{Allow: []string{"*"}}, "a", ""},
		{"deny", hooks.Policy{Deny: true}, "a", "Tool 'a' blocked by policy (MCPBASH_TOOL_ALLOW_DEFAULT=deny and MCPBASH_TOOL_ALLOWLIST names no tool)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			err := c.policy.Check(t.Context(), c.tool, nil)
			is.Equal(err == nil, c.want == "")
			is.Equal(c.policy.Listed(c.tool), c.want == "") // a refused tool is not listed
			if err != nil {
				is.True(strings.Contains(err.Error(), c.want)) // names the rule
			}
		})
	}
}

func TestThePolicyHookDecides(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed, so policy.sh cannot run")
	}
	root := t.TempDir()
	os.Chmod(root, 0o755)
	dir := filepath.Join(root, "server.d")
	os.Mkdir(dir, 0o755)
	hook := &hooks.PolicyHook{
		Host: hooks.Host{Root: root, ServerDir: dir, Bash: func() string { return bash }, Rules: hooks.Rules{Allowed: true}, Runner: &process.Runner{}, Env: os.Environ},
		Log:  slog.New(slog.DiscardHandler),
	}
	p := hooks.Policy{Hook: hook}
	check := func(text, tool string) string {
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "policy.sh"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Check(t.Context(), tool, []byte(`{"name":"`+tool+`"}`)); err != nil {
			return err.Error()
		}
		return ""
	}
	is := is.New(t)
	is.Equal(check("", "a"), "") // no hook, no rule
	const text = `echo noise
mcp_tools_policy_check() {
  case $1 in
  good) [ "$2" = '{"name":"good"}' ] ;;
  bad) mcp_tools_error -32099 "not \"today\"" '{"a":1}'; return 1 ;;
  *) return 3 ;;
  esac
}`
	is.Equal(check(text, "good"), "")
	is.Equal(check(text, "bad"), `jsonrpc2: code -32099 message: not "today"`)
	var refusal *jsonrpc2.Error
	is.True(errors.As(p.Check(t.Context(), "bad", nil), &refusal))
	is.Equal(string(*refusal.Data), `{"a":1}`) // with the details from the hook
	const unreadable = `mcp_tools_policy_check() { mcp_tools_error -32099 $'no\377' $'{"a":"\377"}'; }`
	is.Equal(check(unreadable, "a"), "jsonrpc2: code -32099 message: no\ufffd")
	is.True(errors.As(p.Check(t.Context(), "a", nil), &refusal))
	is.Equal(string(*refusal.Data), `"{\"a\":\"\ufffd\"}"`) // as text, since it is not valid JSON
	is.True(strings.Contains(check(text, "other"), "Tool 'other' blocked by policy (server.d/policy.sh)"))
	is.True(strings.Contains(check("exit 1", "a"), "blocked by policy"))         // a broken policy refuses
	is.True(strings.Contains(check("syntax error (", "a"), "blocked by policy")) // as does an unreadable one
	is.True(strings.Contains(check("exit 0", "a"), "ended before it decided"))   // one that exits early allows nothing
	const older = `mcp_tools_policy_check() {
  mcp_tools_policy_check_default "$@" || return 1
  [ "$MCPBASH_PROJECT_ROOT/server.d" = "$MCPBASH_SERVER_DIR" ] || return 1
  [ "$1" = good ] || { _MCP_TOOLS_ERROR_CODE=-32001 _MCP_TOOLS_ERROR_MESSAGE="not now"; return 1; }
}`
	is.Equal(check(older, "good"), "")                                                            // it has the folder and the default check
	is.Equal(check("set -euo pipefail\n"+older, "bad"), "jsonrpc2: code -32001 message: not now") // as older policies refuse
	hook.Rules.Allowed = false
	is.True(strings.Contains(check("true", "a"), "MCPBASH_ALLOW_PROJECT_HOOKS")) // a policy was intended
}
