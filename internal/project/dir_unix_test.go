//go:build unix

package project

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func TestAStampIsTheSameHoweverAFileIsReached(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	put(t, root, "file", "text")
	put(t, root, "folder/x", "")
	is.NoErr(os.Chmod(filepath.Join(root, "file"), 0o2751|os.ModeSetuid|os.ModeSticky))
	is.NoErr(os.Link(filepath.Join(root, "folder", "x"), filepath.Join(root, "linked")))
	is.NoErr(os.Symlink("file", filepath.Join(root, "link")))
	is.NoErr(syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	d, err := openDir(root)
	is.NoErr(err)
	defer d.Close()
	for _, name := range []string{"file", "folder", "linked", "link", "pipe", "."} {
		info, err := os.Stat(filepath.Join(root, name))
		is.NoErr(err)
		want, err := stampAt(filepath.Join(root, name))
		is.NoErr(err)
		is.Equal(want.mode.IsRegular(), info.Mode().IsRegular())
		is.Equal(want.mode.IsDir(), info.IsDir())
		is.Equal(want.mode.Perm(), info.Mode().Perm())
		got, err := d.stat(name)
		is.NoErr(err)
		want.settled, got.settled = true, true
		is.Equal(got, want)
		text, read, err := d.read(name, 100)
		read.settled = true
		is.Equal(read, want) // also of what cannot be read
		is.Equal(err == nil, info.Mode().IsRegular())
		is.Equal(int64(len(text)), map[bool]int64{true: info.Size()}[err == nil])
	}
	_, _, err = d.read("file", 3)
	is.Equal(err, files.ErrTooLarge)
	_, missing, err := d.read("missing", 3)
	is.True(isMissing(err))
	is.Equal(missing, stamp{})
}
