//go:build unix

package statedir

import (
	"os"
	"path/filepath"
	"strconv"
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

func TestAServerThatIsKilledWhileItRemovesItsFolderLeavesOneThatOthersRemove(t *testing.T) {
	is := is.New(t)
	d, err := Make(t.TempDir())
	is.NoErr(err)
	d.Claim()
	for i := range 2000 {
		is.NoErr(os.MkdirAll(filepath.Join(d.Path, "call", strconv.Itoa(i)), 0o700))
	}
	removed := make(chan error, 1)
	go func() { removed <- d.Remove() }()
	for exists(filepath.Join(d.Path, lockName)) {
	}
	left, _ := os.ReadDir(d.Path)
	is.Equal(len(left), 0) // what has no lock file any more is empty
	is.NoErr(<-removed)
	is.True(!exists(d.Path))
}
