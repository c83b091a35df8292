package sdk

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

// All tests of this package run again in each of the other shells, in parallel with this run; so
// this is the first test, in the first file.
func TestTheSDKWorksInEveryShell(t *testing.T) {
	if os.Getenv(inShell) != "" || testing.Short() {
		t.Skip("this is already a run in another shell, or -short was given")
	}
	ran := map[string]func() ([]byte, error){}
	for _, s := range shelltest.Shells()[1:] { // the other tests of this package run in the first
		if s.Command == nil {
			continue
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=10m")
		cmd.Env = append(os.Environ(), inShell+"="+s.Name)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ran[s.Name] = func() ([]byte, error) { err := cmd.Wait(); return out.Bytes(), err }
	}
	t.Parallel()
	for _, s := range shelltest.Shells()[1:] {
		t.Run(s.Name, func(t *testing.T) {
			if s.Command == nil {
				t.Skip(s.Missing)
			}
			if out, err := ran[s.Name](); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
