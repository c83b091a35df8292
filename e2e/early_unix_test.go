//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestASignalEndsAnEnvShThatRunsAsAScript(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"ends when asked": "", "ignores that": "trap '' TERM\n"} {
		t.Run(name, func(t *testing.T) { endsAnEnvSh(t, first) })
	}
}

func endsAnEnvSh(t *testing.T, first string) {
	is := is.New(t)
	dir := t.TempDir()
	script := first + "exec 3>\"$MCP_E2E_DIR/alive\"\necho script >&3\nsleep 1000\n"
	is.NoErr(os.Mkdir(filepath.Join(dir, "server.d"), 0o700))
	is.NoErr(os.WriteFile(filepath.Join(dir, "server.d", "env.sh"), []byte(script), 0o600))
	watched := watchTree(t, dir)
	cmd := command(t, "serve", "-C", dir)
	cmd.Env = append(cmd.Env, "MCP_E2E_DIR="+dir, "MCPBASH_ALLOW_PROJECT_HOOKS=true", "MCPBASH_TOOL_ENV_MODE=inherit", "MCPBASH_TOOL_ENV_INHERIT_ALLOW=true")
	s := start(t, cmd)
	watched.alive("script")
	is.NoErr(s.cmd.Process.Signal(os.Interrupt))
	watched.gone()
	is.Equal(s.wait(), 0)
}

// Writing to a stderr that nobody reads ends a process, unless it catches the signal.
func TestAServerThatHasSomethingToSayServesAlthoughNobodyReadsItsStderr(t *testing.T) {
	t.Parallel()
	for range 10 {
		is := is.New(t)
		r, w, err := os.Pipe()
		is.NoErr(err)
		is.NoErr(r.Close())
		cmd := command(t, "serve", "-C", workshop)
		cmd.Env = append(cmd.Env, "MCPBASH_LOG_LEVEL=debug", "MCPBASH_PAGE_SIZ=7") // which is complained of
		cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(callTree[:1], "\n")), w
		out, err := cmd.Output()
		is.NoErr(err)
		is.NoErr(w.Close())
		is.True(strings.Contains(string(out), `"protocolVersion"`))
	}
}
