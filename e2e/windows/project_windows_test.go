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
	elsewhere := t.TempDir()
	s := start(t, command(t, elsewhere, environ(), filepath.Join(root, "run-server.cmd"))).open()
	is.Equal(strings.TrimSpace(s.call("greet", map[string]string{}).text()), "hello from a batch file")
	s.close()
}

func TestClientsStartAServerThroughTheWrapper(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	root := project(t, nil)
	cmd := command(t, root, environ(), *binary, "config", "--wrapper")
	text, err := cmd.Output()
	is.NoErr(err)
	wrapper := filepath.Join(root, "start.cmd")
	is.NoErr(os.WriteFile(wrapper, text, 0o755))
	s := start(t, command(t, t.TempDir(), environ(), wrapper)).open()
	is.Equal(strings.TrimSpace(s.call("greet", map[string]string{}).text()), "hello from a batch file")
	s.close()
}
