package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func TestFilesAreNotCreatedThroughLinks(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	there, link, path := filepath.Join(dir, "there"), filepath.Join(dir, "link"), filepath.Join(dir, "new")
	is.NoErr(files.Make(path, []byte("new"), 0o600))
	text, err := os.ReadFile(path)
	is.NoErr(err)
	is.Equal(string(text), "new")
	is.True(errors.Is(files.Make(path, nil, 0o600), fs.ErrExist)) // nor over a file
	err = os.Symlink(there, link)
	if _, missing := os.Lstat(link); err != nil || missing != nil { // Wine reports success without creating one
		t.Skip("the system does not allow this user to make links, so only files and folders are tested: ", errors.Join(err, missing))
	}
	is.True(errors.Is(files.Make(link, []byte("x"), 0o600), fs.ErrExist))
	_, err = os.Stat(there)
	is.True(errors.Is(err, fs.ErrNotExist)) // nothing was made
}

func TestFoldersThatMayNotBeReadAreRemoved(t *testing.T) {
	is := is.New(t)
	dir := filepath.Join(t.TempDir(), "a")
	is.NoErr(os.MkdirAll(filepath.Join(dir, "b", "c"), 0o700))
	is.NoErr(os.WriteFile(filepath.Join(dir, "b", "f"), nil, 0o600))
	is.NoErr(os.Chmod(filepath.Join(dir, "b"), 0o300))
	is.NoErr(os.Chmod(dir, 0o100))
	is.NoErr(files.RemoveAll(dir))
	_, err := os.Stat(dir)
	is.True(errors.Is(err, fs.ErrNotExist))
	hidden := t.TempDir()
	is.NoErr(os.MkdirAll(filepath.Join(hidden, "a", "b"), 0o700))
	is.NoErr(os.Chmod(hidden, 0o300))
	is.NoErr(files.RemoveAll(filepath.Join(hidden, "a")))
	is.NoErr(os.Chmod(hidden, 0o700))
	left, err := os.ReadDir(hidden)
	is.NoErr(err)
	is.Equal(len(left), 0)
}
