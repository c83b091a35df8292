package e2e

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// overHTTP starts mcp-http, and returns the URL at which it serves.
func overHTTP(t *testing.T, what ...string) (cmd *exec.Cmd, url string) {
	t.Helper()
	is := is.New(t)
	program := filepath.Join(filepath.Dir(binary), "mcp-http"+suffix)
	cmd = exec.Command(program, append([]string{"--listen", "127.0.0.1:0"}, what...)...)
	cmd.Env = bare()
	stderr, err := cmd.StderrPipe()
	is.NoErr(err)
	is.NoErr(cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	log := bufio.NewReader(stderr)
	for url == "" {
		said, err := log.ReadString('\n')
		is.NoErr(err)
		url = regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`).FindString(said)
	}
	go io.Copy(io.Discard, log)
	return cmd, url
}

func TestInterceptorsOfAServerElsewhereAreUsed(t *testing.T) {
	is := is.New(t)
	_, url := overHTTP(t, "-C", newProject(t, map[string]string{
		"server.d/server.meta.json": `{"interceptors": {"serve": true}}`,
		"interceptors/no/no.meta.json": `{"type": "validation", "jq": ".arguments.name != \"Ada\"", "description": "not her",
			"hooks": [{"events": ["tools/call"], "phase": "request"}]}`,
	}))
	project := newProject(t, map[string]string{
		"tools/greet/tool.sh":                        "#!/bin/sh\necho hello\n",
		"tools/greet/tool.meta.json":                 `{"name": "greet", "description": "Greets somebody"}`,
		"interceptors/elsewhere/elsewhere.meta.json": `{"server": [` + strconv.Quote(binary) + `, "wrap", "--url", "` + url + `"]}`,
	})
	call := func(name string) string {
		cmd := exec.Command(binary, "call", "greet", "name="+name, "-C", project)
		cmd.Env = bare()
		text, _ := cmd.Output()
		return string(text)
	}
	is.True(strings.Contains(call("Bo"), "hello"))
	is.True(strings.Contains(call("Ada"), "refused by no: not her"))
}
