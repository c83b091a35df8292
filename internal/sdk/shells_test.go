package sdk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTracingShowsNoArguments(t *testing.T) {
	const args = `{"name":"Ada","token":"s3cret"}`
	for name, x := range map[string]*tool{
		"in a server": {call: Call{Args: []byte(args)}},
		"by hand":     {byHand: true, path: handy(t).path, env: []string{"MCP_TOOL_ARGS_JSON=" + args}},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			e := x.run(t, `
set -x
mcp_args_get -v name .name
mcp_args_get .token >/dev/null
mcp_args_require .token >/dev/null
mcp_args_raw | grep -c Ada
mcp_args_int .token || :
: still traced`)
			is.True(!strings.Contains(e.stderr, "s3cret"))           // not named by anyone
			is.True(strings.Contains(e.stderr, "mcp_args_get -v"))   // the calls are shown
			is.True(!strings.Contains(e.stderr, "+ : still traced")) // mcp_args_int ended the tool
			e = x.run(t, "set -x\nmcp_args_get .name\n: still traced")
			is.True(strings.Contains(e.stderr, "+ : still traced"))
			e = x.run(t, "mcp_args_get .name\n: not traced")
			is.Equal(e.stderr, "")
		})
	}
}

func TestALineWithoutAValueShowsThatTheCommandContinues(t *testing.T) {
	is := is.New(t)
	alive := make(chan struct{}, 10)
	var x tool
	x.call.Alive = func() { alive <- struct{}{} }
	x.run(t, `mcp_run_with_progress --pattern '^step' --quiet -- eval 'echo step a >&2; echo other >&2; echo step b >&2'`)
	is.Equal(len(alive), 2) // the matching lines
}

func TestThePageOfATool(t *testing.T) {
	is := is.New(t)
	x := tool{env: []string{"MCPBASH_SERVER_NAME=shop", "MCP_TOOL_PATH=/project/tools/cart/tool.sh"}}
	e := x.run(t, `mcp_result_with_ui "" "3 things"; MCPBASH_SERVER_NAME= mcp_result_with_ui "" "3 things"`)
	is.Equal(e.stdout, `{"content":[{"type":"text","text":"3 things"}],"isError":false,"_meta":{"ui":{"resourceUri":"ui://shop/cart"}}}
{"content":[{"type":"text","text":"3 things"}],"isError":false}
`)
}

func TestADebugLogThatCannotBeWrittenIsIgnored(t *testing.T) {
	is := is.New(t)
	log := filepath.Join(t.TempDir(), "log")
	x := tool{env: []string{"MCPBASH_DEBUG_LOG=" + log}}
	e := x.run(t, `mcp_debug one "two  three"; MCPBASH_DEBUG_LOG=/nonexistent/x mcp_debug four; MCPBASH_DEBUG_LOG= mcp_debug five; echo on`)
	is.Equal(e.String(), `stdout "on\n", stderr "", code 0`)
	b, err := os.ReadFile(log)
	is.NoErr(err)
	lines := strings.SplitAfter(string(b), "] ")
	is.Equal(len(lines), 2)
	is.Equal(lines[1], "one two  three\n")
}

// functionsOf returns the functions that a tool finds, without internal ones.
func functionsOf(t *testing.T, x *tool) []string {
	t.Helper()
	e := x.run(t, `declare -F`)
	var names []string
	for line := range strings.Lines(e.stdout) {
		name := strings.TrimSpace(strings.TrimPrefix(line, "declare -f "))
		if strings.HasPrefix(name, "mcp_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
