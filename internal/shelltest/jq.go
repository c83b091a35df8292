package shelltest

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// AtOnce sets how many parallel tests run at the same time, unless the flag -parallel is given. Tests
// that mostly wait for other processes benefit from more than the default of one for each processor.
func AtOnce(n int) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		f.Value.Set(strconv.Itoa(n))
	}
}

// Main runs the tests of a package whose shell code calls jq. On a machine without jq the
// test program itself replaces it, as mcp-bash does. It returns the exit code.
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
