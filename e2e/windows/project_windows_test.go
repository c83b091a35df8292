package windows

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestLongArgumentsReachAToolThroughAFile(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := serve(t, project(t, map[string]string{"tools/mirror/tool.exe": "", "tools/mirror/tool.meta.json": "{}"}), roleVariable+"=mirror").open()
	for size, inFile := range map[int]bool{100: false, 30_000: false, 32_700: true, 100_000: true} {
		var got struct{ JSON, File string }
		is.NoErr(json.Unmarshal([]byte(s.call("mirror", map[string]string{"text": strings.Repeat("x", size)}).text()), &got))
		is.Equal(got.File != "", inFile)
		is.Equal(got.JSON == "", inFile)
	}
	s.close()
}

func TestAScriptWithoutItsInterpreterIsAnErrorThatSaysWhereToGetOne(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := serve(t, project(t, map[string]string{"tools/shell/tool.sh": "#!/usr/bin/env bash\necho\n"})).open()
	a := s.call("shell", map[string]string{})
	is.True(strings.Contains(a.text(), "bash"))
	is.True(strings.Contains(a.text(), "Git for Windows"))
	s.close()
}

func TestScriptsFindAJQ(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := serve(t, project(t, map[string]string{
		"tools/jq/tool.bat":       "@echo off\r\n<nul set /p =%MCP_TOOL_ARGS_JSON%| jq -c .a\r\n",
		"tools/jq/tool.meta.json": `{"inputSchema":{"type":"object"}}`,
	})).open()
	is.Equal(strings.TrimSpace(s.call("jq", map[string][]int{"a": {1, 2}}).text()), "[1,2]")
	s.close()
}

func TestClientsStartAProjectsOwnCopyThroughABatchFile(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := project(t, nil)
	is.NoErr(command(t, root, environ(), *binary, "vendor").Run())
	is.True(greets(t, filepath.Join(root, "run-server.cmd")))
}

func TestClientsStartAServerThroughTheWrapper(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := project(t, nil)
	text, err := command(t, root, environ(), *binary, "config", "--wrapper").Output()
	is.NoErr(err)
	wrapper := filepath.Join(root, "start.cmd")
	is.NoErr(os.WriteFile(wrapper, text, 0o755))
	is.True(greets(t, wrapper))
}

// greets reports whether the server that a batch file starts serves the project. Its input is a file, as
// the cmd.exe of Wine does not pass on the end of a pipe that is closed later.
func greets(t *testing.T, batch string) bool {
	t.Helper()
	elsewhere := t.TempDir()
	said := filepath.Join(elsewhere, "said.ndjson")
	lines := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"windows","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet"}}
`
	if err := os.WriteFile(said, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(said)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := command(t, elsewhere, environ(), batch)
	cmd.Stdin = in
	out, err := cmd.Output()
	if err != nil {
		t.Error(err)
	}
	return strings.Contains(string(out), "hello from a batch file")
}
