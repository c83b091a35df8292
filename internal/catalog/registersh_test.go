package catalog

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// hooked are options that let register.sh run.
func hooked(t testing.TB) Options {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed, so register.sh cannot run")
	}
	return Options{Hook: hooks.Host{Rules: hooks.Rules{Allowed: true}, Runner: &process.Runner{},
		Bash: func() string { return bash }, Env: func() []string {
			return []string{"PATH=" + os.Getenv("PATH"),
				"GREETING=hello"}
		}}}
}

func TestAScriptRegistersLists(t *testing.T) {
	cases := []struct{ name, script, want string }{
		{"nothing", "", "found x|found|shape|found|found"},
		{"with helpers", `
set -euo pipefail
mcp_register_tool '{"name": "b", "path": "found.sh"}'
for n in 1 2; do mcp_register_tool "{\"name\": \"a$n\", \"path\": \"tools/sub/x.sh\"}"; done
mcp_register_resource '{"name": "r", "uri": "x:1"}'
mcp_register_prompt '{
  "name": "p",
  "path": "found.md"
}'`, "a1 a2 b|r|shape|p|found"},
		{"with where it is", `
[ -d "$MCPBASH_PROJECT_ROOT" ] && [ -d "$MCPBASH_SERVER_DIR" ]
for f in "$MCPBASH_TOOLS_DIR"/found.sh; do mcp_register_tool "{\"name\": \"a\", \"path\": \"${f#"$MCPBASH_TOOLS_DIR"/}\"}"; done
: "$MCPBASH_RESOURCES_DIR" "$MCPBASH_PROMPTS_DIR"`, "a|found|shape|found|found"},
		{"with all helpers", `
mcp_register_resource_template '{"name": "t", "uriTemplate": "x:{y}"}'
mcp_register_template '{"name": "u", "uriTemplate": "x:{z}"}'
mcp_register_completion '{"name": "c", "path": "completions/found.sh"}'`, "found x|found|t u|found|c"},
		{"with an object", `echo '{"tools": [{"name": "'$GREETING'", "path": "found.sh"}], "prompts": []}'`,
			"hello|found|shape||found"},
		{"with both", `
mcp_register_tool '{"name": "a", "path": "found.sh"}'
printf '%s' '{"tools": [{"name": "b", "path": "found.sh"}], "resources": null}'
mcp_register_tool '{"name": "c", "path": "found.sh"}'`, "a b c|found|shape|found|found"},
		{"with older helpers", `
mcp_tools_manual_begin
mcp_tools_register_manual '{"name": "a", "path": "found.sh"}'
mcp_tools_manual_finalize
mcp_prompts_manual_begin
mcp_resources_templates_manual_begin
mcp_resources_templates_register_manual '{"name": "t", "uriTemplate": "x:{y}"}'`, "a|found|t||found"},
		{"as old projects end theirs", `
mcp_register_tool '{"name": "a", "path": "found.sh"}'
if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
	exit 1
fi
return 0`, "a|found|shape|found|found"},
		{"in the project's folder", `mcp_register_tool "{\"name\": \"$(cat name.txt)\", \"path\": \"found.sh\"}"`,
			"of-a-file|found|shape|found|found"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, everything+"-- name.txt --\nof-a-file\n-- server.d/register.sh --\n"+c.script+"\n")
			is.Equal(lists(t, opened(t, root, hooked(t))), c.want)
		})
	}
}

func TestAFaultOfAScriptIsLoud(t *testing.T) {
	const at = "registration failed: server.d/register.sh"
	cases := []struct{ name, script, want string }{
		{"it fails", "echo oops >&2\nexit 3", ": ended with exit code 3: oops"},
		{"it fails in colour", "printf 'a\\033[31m\\nb\\377' >&2\nexit 3", ": ended with exit code 3: a [31m b\uFFFD"},
		{"it fails silently", "false", ": ended with exit code 1"},
		{"it is not valid bash", "if", ": ended with exit code "},
		{"no JSON", "\n\nmcp_register_tool '{'", ":4: is not valid JSON: it ends too early; close what is open"},
		{"no argument", "mcp_register_tool", ":2: is empty; begin with a field, such as description, or remove the file"},
		{"text on stdout", "echo hello", " (output):1: is not valid JSON: "},
		{"another key", "echo '{\n\"tool\": []}'", " (output):2: tool: is not a known field"},
		{"too much", "head -c 2000000 /dev/zero | tr '\\0' ' '",
			": wrote more than 1048576 bytes; raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := folderOf(t, everything+"-- server.d/register.sh --\n\n"+c.script+"\n")
			_, err := opened(t, root, hooked(t)).Tools(t.Context())
			is.True(errors.Is(err, ErrRegistration))
			is.Equal(err.Error()[:min(len(at+c.want), len(err.Error()))], at+c.want) // it names the place
		})
	}
}

func TestAScriptThatIsNotAllowedIsNotRun(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+"-- server.d/register.sh --\ntouch ran\n")
	var log bytes.Buffer
	o := hooked(t)
	o.Hook.Rules.Allowed = false
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	p := opened(t, root, o)
	for range 3 {
		is.Equal(says(t, p.Tools), "found x") // what is found is served
	}
	is.True(!files.Exists(filepath.Join(root, "ran")))
	is.Equal(strings.Count(log.String(),
		"server.d/register.sh: project hooks are not allowed; set MCPBASH_ALLOW_PROJECT_HOOKS=true to run it"), 1)
}

func TestAScriptThatOthersCanWriteIsNotRun(t *testing.T) {
	if !executableBits {
		t.Skip("Windows files have no mode that lets other users write them")
	}
	is := is.New(t)
	root := folderOf(t, everything+"-- server.d/register.sh --\ntouch ran\n")
	chmod(t, root, "server.d/register.sh", 0o777)
	p := opened(t, root, hooked(t))
	is.True(strings.HasSuffix(says(t, p.Tools), "run chmod go-w "+filepath.Join(root, "server.d", "register.sh")))
	is.True(!files.Exists(filepath.Join(root, "ran")))
	chmod(t, root, "server.d/register.sh", 0o755)
	is.Equal(says(t, p.Tools), "found x") // mended
	is.True(files.Exists(filepath.Join(root, "ran")))
}

// expire makes the output of register.sh too old.
func expire(p *Project) {
	old := *p.sources[1].last.Load()
	old.ran = old.ran.Add(-hookTTL - time.Second)
	p.sources[1].last.Store(&old)
}

func TestWhatAScriptSaidHoldsForAWhile(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+`
-- server.d/register.sh --
echo >> runs
mcp_register_tool "{\"name\": \"t$(wc -l < runs | tr -d ' ')\", \"path\": \"found.sh\"}"
`)
	settle(t, root)
	p := opened(t, root, hooked(t))
	is.Equal(lists(t, p), "t1|found|shape|found|found") // run once for all lists
	is.Equal(says(t, p.Tools), "t1")
	_, err := p.Tool(t.Context(), "t1")
	is.NoErr(err)
	expire(p)
	// not for nobody
	is.Equal(keyOf(p.lists[kindTool].at(ask{since: p.clock.Add(1), idle: true}).entries[0], byName), "t1")
	// but for a client
	is.Equal(says(t, p.Tools), "t2")
	put(t, root, "server.d/register.sh", `mcp_register_tool '{"name": "new", "path": "found.sh"}'`)
	is.Equal(says(t, p.Tools), "new") // a new script at once
	is.NoErr(os.Remove(filepath.Join(root, "server.d", "register.sh")))
	is.Equal(says(t, p.Tools), "found x")
}

func TestAScriptIsRunAgainThoughNoFileHasChanged(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+`
-- server.d/register.sh --
echo >> runs
mcp_register_tool "{\"name\": \"t$(wc -l < runs | tr -d ' ')\", \"path\": \"found.sh\"}"
`)
	settle(t, root)
	p := opened(t, root, hooked(t))
	watching(t, p)
	is.Equal(says(t, p.Tools), "t1")
	expire(p)
	is.Equal(says(t, p.Tools), "t2")
}

func TestAllListsAreFromTheLastRunOfTheScript(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+`
-- server.d/register.sh --
echo >> runs
n=$(wc -l < runs | tr -d ' ')
mcp_register_tool "{\"name\": \"t$n\", \"path\": \"found.sh\"}"
mcp_register_prompt "{\"name\": \"p$n\", \"path\": \"found.md\"}"
`)
	settle(t, root)
	p := opened(t, root, hooked(t))
	watching(t, p)
	is.Equal(says(t, p.Tools)+" "+says(t, p.Prompts), "t1 p1")
	expire(p)
	is.Equal(says(t, p.Prompts), "p2") // it is run again for these only
	_, err := p.Tool(t.Context(), "t1")
	is.True(errors.Is(err, ErrUnknownTool))
	is.Equal(says(t, p.Tools), "t2")
}

func TestAScriptThatFailedIsRunAgain(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+"-- server.d/register.sh --\ntest -e ready\n")
	settle(t, root)
	p := opened(t, root, hooked(t))
	is.Equal(says(t, p.Tools), "registration failed: server.d/register.sh: ended with exit code 1")
	put(t, root, "ready", "")
	expire(p)
	is.Equal(says(t, p.Tools), "found x") // it registers nothing now, which is not a failure
}

func TestARegisteredFileIsBeforeAScript(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, everything+`
-- server.d/register.json --
{"version": 1, "tools": [{"name": "a", "path": "found.sh"}]}
-- server.d/register.sh --
mcp_register_tool '{"name": "b", "path": "found.sh"}'
mcp_register_prompt '{"name": "b", "path": "found.md"}'
`)
	is.Equal(lists(t, opened(t, root, hooked(t))), "a|found|shape|b|found")
}
