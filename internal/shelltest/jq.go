package shelltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// Main runs the tests of a package whose shell code calls jq. Where the machine has
// none, the test program itself replaces it, as mcp-bash does. It returns the exit
// code.
func Main(m *testing.M) int {
	if filepath.Base(os.Args[0]) == "jq" {
		return jq.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, nil)
	}
	if _, err := exec.LookPath("jq"); err == nil {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "jq.")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "jq"))
	}
	if err != nil {
		panic(err)
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return m.Run()
}
