//go:build unix

package statedir

import (
	"os"
	"testing"

	"github.com/matryer/is"
)

func TestTheFolderOfAnotherUserStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	is := is.New(t)
	parent := t.TempDir()
	path := dead(t, parent)
	is.NoErr(os.Chown(path, 12345, 12345))
	Sweep(t.Context(), parent)
	is.True(exists(path))
}

func TestAFolderThatOthersCanWriteStays(t *testing.T) {
	is := is.New(t)
	parent := t.TempDir()
	path := dead(t, parent)
	is.NoErr(os.Chmod(path, 0o777))
	Sweep(t.Context(), parent)
	is.True(exists(path))
}
