//go:build unix

package files_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func TestAFileThatRootEditsStaysThatOfItsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	is := is.New(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	is.NoErr(os.WriteFile(path, []byte("one"), 0o640))
	is.NoErr(os.Chown(path, 65534, 65533))
	info, err := os.Stat(path)
	is.NoErr(err)
	is.NoErr(files.Edit(path, []byte("two"), files.AccessOf(info), nil))
	is.NoErr(files.Edit(path+".bak", []byte("one"), files.AccessOf(info), nil)) // a copy gets the same access
	dir, err := os.OpenRoot(folder)
	is.NoErr(err)
	defer dir.Close()
	is.NoErr(files.EditIn(dir, "in", nil, files.AccessOf(info)))
	for _, name := range []string{"file", "file.bak", "in"} {
		info, err := os.Stat(filepath.Join(folder, name))
		is.NoErr(err)
		is.Equal(info.Mode().Perm(), os.FileMode(0o640))
		is.Equal(info.Sys().(*syscall.Stat_t).Uid, uint32(65534))
		is.Equal(info.Sys().(*syscall.Stat_t).Gid, uint32(65533))
	}
	is.NoErr(files.Replace(path, []byte("three"), 0o600)) // a file that is only made again
	info, err = os.Stat(path)
	is.NoErr(err)
	is.Equal(info.Sys().(*syscall.Stat_t).Uid, uint32(0))
}
