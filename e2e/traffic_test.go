package e2e

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/mcp/mcptest"
)

// traffic is the environment variable that makes a process of the test binary run the
// program and record its traffic in a folder; see passOn.
const traffic = "MCP_BASH_E2E_TRAFFIC"

// watched returns variables with which the program in the PATH records the traffic
// between a server and its client. It is validated against the schemas of the protocol
// at the end of the test.
func watched(t *testing.T) []string {
	t.Helper()
	test, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder, path := t.TempDir(), t.TempDir()
	if err := os.Symlink(test, filepath.Join(path, "mcp-bash"+suffix)); err != nil {
		t.Logf("what the server writes was not checked: %v", err)
		return nil
	}
	t.Cleanup(func() { mcptest.Kept(t, folder) })
	return []string{
		traffic + "=" + folder,
		"MCP_BASH_E2E_BINARY=" + binary,
		"PATH=" + path + string(os.PathListSeparator) + filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
}

// passOn runs the program as it was called. Only a server speaks the protocol on
// stdout; the output of other commands is not recorded.
func passOn(folder string) {
	cmd := exec.Command(os.Getenv("MCP_BASH_E2E_BINARY"), os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if len(os.Args) == 1 || os.Args[1] == "serve" {
		sent, written, err := mcptest.Keep(folder)
		if err != nil {
			panic(err)
		}
		cmd.Stdin, cmd.Stdout = io.TeeReader(os.Stdin, sent), io.MultiWriter(written, os.Stdout)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		panic(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
