package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// nobody is the id of a user without rights on most systems.
const nobody = 65534

// A tool runs as the same user as its server, so the system lets it read the server's memory and
// open its files, unless the server prevents that.
func TestAToolCannotReachTheServerThroughProc(t *testing.T) {
	is := is.New(t)
	dir, err := os.MkdirTemp("", "hidden.")
	is.NoErr(err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.ReadFile(binary)
	is.NoErr(err)
	is.NoErr(os.Mkdir(filepath.Join(dir, "tools"), 0o755))
	rig.WriteProgram(t, filepath.Join(dir, "mcp-bash"), string(program), 0o755)
	rig.WriteProgram(t, filepath.Join(dir, "tools", "probe.sh"), `#!/bin/sh
(: > /proc/$PPID/fd/1) 2>/dev/null && echo opens its stdout
cat /proc/$PPID/environ >/dev/null 2>&1 && echo reads its environment
ls /proc/$PPID/fd/ >/dev/null 2>&1 && echo lists its files
(: < /proc/$PPID/mem) 2>/dev/null && echo opens its memory
[ -r /proc/self/environ ] && : < /proc/self/environ && echo and sees itself
`, 0o755)
	cmd := command(t, "serve", "--project-root", dir)
	cmd.Path = filepath.Join(dir, "mcp-bash")
	if os.Geteuid() == 0 { // nothing is hidden from root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		is.NoErr(os.Chmod(dir, 0o755))
		for _, path := range []string{dir, filepath.Join(dir, "tools"), filepath.Join(dir, "tools", "probe.sh")} {
			is.NoErr(os.Chown(path, nobody, nobody))
		}
	}
	cmd.Dir, cmd.Env = dir, append(cmd.Env, "HOME="+dir, "TMPDIR="+dir)
	s := start(t, cmd)
	s.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"probe"}}`)
	for {
		line, ok := s.recv("the result")
		is.True(ok)
		if strings.Contains(line, `"id":2`) {
			is.True(strings.Contains(line, `"text":"and sees itself\n"`)) // and nothing else
			break
		}
	}
	s.in.Close()
	is.NoErr(cmd.Wait())
	left, err := filepath.Glob(filepath.Join(dir, "mcpbash.state.*"))
	is.NoErr(err)
	is.Equal(len(left), 0) // also without the rights of root
}
