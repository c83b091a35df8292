package hooks_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

// project is a folder with a policy.sh.
type project struct {
	hook *hooks.PolicyHook
	path string // of policy.sh
	log  bytes.Buffer
}

func newProject(t *testing.T, s shelltest.Shell) *project {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "server.d")
	for _, err := range []error{os.Chmod(root, 0o755), os.Mkdir(dir, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p := &project{path: filepath.Join(dir, "policy.sh")}
	p.hook = &hooks.PolicyHook{
		Host: hooks.Host{Root: root, ServerDir: dir, Bash: func() string { return s.Command[0] }, Rules: hooks.Rules{Allowed: true}, Runner: &process.Runner{}, Env: os.Environ},
		Log:  slog.New(slog.NewTextHandler(&p.log, nil)),
	}
	if len(s.Command) > 1 {
		p.hook.Env = func() []string { return append(os.Environ(), "POSIXLY_CORRECT=1") }
	}
	return p
}

// asked returns the refusal of a call of the tool "a", "" if it is allowed.
func (p *project) asked(t *testing.T, text string) string {
	t.Helper()
	if err := os.WriteFile(p.path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	allowed := hooks.Policy{Hook: p.hook}
	if err := allowed.Check(t.Context(), "a", []byte(`{"name":"a","annotations":{"readOnlyHint":true}}`)); err != nil {
		return err.Error()
	}
	return ""
}

func TestAPolicyThatFailsInAnyWayRefuses(t *testing.T) {
	shelltest.Each(t, func(t *testing.T, s shelltest.Shell) {
		for _, test := range []struct{ name, body, want string }{
			{"a function that is not there", `kind=$(no_such_function "$2"); [ "$kind" != write ]`, "policy.sh: "},
			{"the same, unheard", `kind=$(no_such_function "$2" 2>/dev/null); [ "$kind" != write ]`, "policy.sh: "},
			{"the same, with an excuse", `no_such_function 2>/dev/null || :`, "policy.sh: "},
			{"the same, as a condition", `if no_such_function; then return 1; fi`, "no_such_function: command not found"},
			{"the same, as a negation", `! no_such_function || return 1`, "no_such_function: command not found"},
			{"a program that is not there", `x=$("$MCPBASH_PROJECT_ROOT/bin/decide" "$1" 2>/dev/null); [ "$x" != no ]`, "could not be run"},
			{"a program that is none", `x=$("$MCPBASH_PROJECT_ROOT/server.d" 2>/dev/null); [ "$x" != no ]`, "could not be run"},
			{"a library that is not there", `. "$MCPBASH_PROJECT_ROOT/lib/rules.sh"; return 0`, "rules.sh"},
			{"a comparison of no number", `if [ "$LIMIT" -gt 5 ]; then return 1; fi`, "line 1: "},
			{"a file that is not there", `while read -r name; do [ "$name" != "$1" ] || return 1; done <denied.txt; return 0`, "denied.txt"},
			{"the same, before much else", `if [ "$LIMIT" -gt 5 ]; then return 1; fi; head -c 9000 /dev/zero | tr '\0' '\n' >&2`, "line 1: "},
			{"the same, behind a text", `printf checking >&2; if [ "$LIMIT" -gt 5 ]; then return 1; fi`, "line 1: "},
			{"a broken expression", `eval 'if then'; return 0`, "syntax error"},
			{"an error, and then much talk", `[ "$LIMIT" -gt 5 ] && return 1; i=0; while [ $i -lt 200 ]; do i=$((i+1)); ` +
				`echo "a line to fill up what is kept of stderr" >&2; done; return 0`, "line 1: "},
			{"an error behind a word", `printf 'deciding: ' >&2; [ "$LIMIT" -gt 5 ] && return 1; return 0`, "line 1: "},
			{"an error in a library", `printf '%s\n' 'over() { [ "$LIMIT" -gt 5 ]; }' >"$MCPBASH_SERVER_DIR/lib.sh"; ` +
				`. "$MCPBASH_SERVER_DIR/lib.sh"; over && return 1; return 0`, "line 1: "},
			{"an error in a library of its folder", `echo '[ "$LIMIT" -gt 5 ] && deny=1' >lib.sh; . lib.sh; [ -z "${deny-}" ]`, "line 1: "},
			{"endless talk", `i=0; while [ $i -lt 20 ]; do i=$((i+1)); printf '%0100000d\n' 0 >&2; done; return 0`, "1 MiB"},
			{"an unset variable", `set -u; [ "$NO_SUCH_VARIABLE" = x ]; return 0`, "blocked by policy"},
			{"a signal", `kill -9 $$`, "blocked by policy"},
			{"an end", `exit 0`, "ended before it decided"},
			{"any code", `return 3`, "blocked by policy (server.d/policy.sh)"},
			{"an error, and then allowed", `mcp_tools_error -32001 no || :; return 0`, "code -32001 message: no"},
			{"an error with no code", `mcp_tools_error no`, "code -32602"},
		} {
			t.Run(test.name, func(t *testing.T) {
				is := is.New(t)
				said := newProject(t, s).asked(t, "mcp_tools_policy_check() { "+test.body+"\n}\n")
				is.True(strings.Contains(said, test.want)) // refused, with the reason
				is.True(said != "")
			})
		}
		t.Run("a file with an error", func(t *testing.T) {
			is := is.New(t)
			p := newProject(t, s)
			is.True(strings.Contains(p.asked(t, "mcp_tools_policy_check() { return 0; }\nif"), "syntax error"))
			is.True(strings.Contains(p.asked(t, "no_such_command\nmcp_tools_policy_check() { return 0; }"), "no_such_command"))
		})
	})
}

func TestHarmlessOutputAllows(t *testing.T) {
	shelltest.Each(t, func(t *testing.T, s shelltest.Shell) {
		for _, body := range []string{
			`return 0`,
			`echo "policy.sh: line 1: nothing wrong" >&2; false; grep -q x /dev/null; (exit 2); :`,
			`command -v no_such_command >/dev/null || :`,
			`n=${LIMIT:-}; [ -z "$n" ] || return 1`,
			`[ "${LANGUAGE-}" = C ]`, // in which errors of bash are recognized
			`i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "a line to fill up what is kept of stderr" >&2; done`,
		} {
			is := is.New(t)
			is.Equal(newProject(t, s).asked(t, "mcp_tools_policy_check() { "+body+"\n}\n"), "")
		}
	})
}

func TestPoliciesHaveTheFunctionsOfTheBashProgram(t *testing.T) {
	shelltest.Each(t, func(t *testing.T, s shelltest.Shell) {
		is := is.New(t)
		p := newProject(t, s)
		const text = `set -euo pipefail
mcp_tools_policy_check() {
	mcp_tools_policy_check_default "$@" || return 1
	local reads more
	reads=$(mcp_json_extract_optional "$2" -r '.annotations.readOnlyHint' false policy "metadata of $1")
	more=$(mcp_json_extract_optional "$2" -c '.annotations' '{}')
	[ "$more" = '{"readOnlyHint":true}' ] || return 1
	[ "$(mcp_json_extract_optional '{broken' -r .a none policy "the file")" = none ] || return 1
	mcp_is_valid_json "$more" && ! mcp_is_valid_json '{' || return 1
	[ "$(mcp_json_escape 'a"b')" = '"a\"b"' ] || return 1
	mcp_logging_warning policy "asked about $1"
	[ "$reads" = %s ] || { mcp_tools_error -32602 "not today"; return 1; }
}`
		is.Equal(p.asked(t, strings.Replace(text, "%s", "true", 1)), "")
		is.Equal(p.asked(t, strings.Replace(text, "%s", "false", 1)), "jsonrpc2: code -32602 message: not today")
		is.True(strings.Contains(p.log.String(), "warning policy: asked about a")) // it is logged
		is.True(strings.Contains(p.log.String(), "the file: "))                    // including the reason that it cannot be read
	})
}

// Projects for the Bash program rely on it, so a mistyped name only costs a line in the log.
func TestAPolicyWithoutItsFunctionAllowsAndIsLoggedOnce(t *testing.T) {
	shelltest.Each(t, func(t *testing.T, s shelltest.Shell) {
		is := is.New(t)
		p := newProject(t, s)
		for range 2 {
			is.Equal(p.asked(t, "set -eu\nmcp_tool_policy_check() { return 1; }\n"), "")
		}
		is.Equal(strings.Count(p.log.String(), "server.d/policy.sh defines no function mcp_tools_policy_check"), 1)
	})
}

func TestWhyAPolicyMayNotRunIsLoggedOnce(t *testing.T) {
	is := is.New(t)
	p := newProject(t, shelltest.Shell{Command: []string{"bash"}})
	p.hook.Rules.Allowed = false
	is.True(p.asked(t, "") != "")
	is.True(p.asked(t, "") != "")
	is.Equal(strings.Count(p.log.String(), "all tools are refused"), 1)
}

func TestNoToolIsListedWhileThePolicyMayNotRun(t *testing.T) {
	is := is.New(t)
	p := newProject(t, shelltest.Shell{Command: []string{"bash"}})
	allowed := hooks.Policy{Hook: p.hook}
	p.hook.Rules.Allowed = false
	is.True(allowed.Listed("a")) // there is no policy.sh
	is.NoErr(os.WriteFile(p.path, nil, 0o644))
	is.True(!allowed.Listed("a"))
	is.True(!allowed.Listed("b"))
	is.True(errors.Is(allowed.Barred(), hooks.ErrNotAllowed))
	is.Equal(strings.Count(p.log.String(), "all tools are refused"), 1) // the reason is logged once
	p.hook.Rules.Allowed = true
	is.True(allowed.Listed("a")) // the policy decides on each call
}
