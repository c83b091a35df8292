//go:build unix

package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestAPipeInPlaceOfAKeptListHoldsNobodyUp(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n-- .registry/x --\n")
	is.NoErr(syscall.Mkfifo(filepath.Join(root, ".registry/tools.json"), 0o600))
	p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	is.Equal(only(t, snapshot(t, p)).Name, "a")
	is.True(kept(t, root, "tools.json") != "") // the list took its place
}

func TestListsAreNotKeptThroughALink(t *testing.T) {
	is := is.New(t)
	root, elsewhere := folderOf(t, "-- tools/a.sh --\n"), t.TempDir()
	is.NoErr(os.Symlink(elsewhere, filepath.Join(root, ".registry")))
	lists(t, opened(t, root, Options{Folders: Folders{Registry: ".registry"}}))
	entries, err := os.ReadDir(elsewhere)
	is.NoErr(err)
	is.Equal(len(entries), 0)
}

func TestAProjectThatIsGoneIsNotMadeAnew(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- tools/a.sh --\n")
	p := opened(t, root, Options{Folders: Folders{Registry: ".registry"}})
	is.NoErr(os.Rename(root, root+".away"))
	lists(t, p)
	_, err := os.Lstat(root)
	is.True(errors.Is(err, fs.ErrNotExist))
}
