package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

func TestTheHomeOfScriptsIsRestoredAfterACleanup(t *testing.T) {
	is := is.New(t)
	dir := filepath.Join(t.TempDir(), "home")
	program, err := os.Executable()
	is.NoErr(err)
	install := installHome(dir, program)
	for _, gone := range []string{"sdk", "providers", "."} {
		found, err := install()
		is.NoErr(err)
		_, err = os.Stat(filepath.Join(found, "sdk", "tool-sdk.sh"))
		is.NoErr(err) // tools can source it
		for _, name := range []string{"echo", "file", "git", "https", "ui"} {
			info, err := os.Stat(filepath.Join(found, "providers", name+".sh"))
			is.NoErr(err) // providers can run it
			is.True(info.Mode().Perm()&0o100 != 0)
		}
		is.NoErr(os.RemoveAll(filepath.Join(dir, gone)))
	}
}
