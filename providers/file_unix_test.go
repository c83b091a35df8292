//go:build unix

package providers

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestOtherThanFilesAreRefusedWithoutWaiting(t *testing.T) {
	is := is.New(t)
	root, err := os.MkdirTemp("", "p") // the path of a socket must be short
	is.NoErr(err)
	t.Cleanup(func() { os.RemoveAll(root) })
	is.NoErr(syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600)) // opening it would wait for a writer
	socket, err := net.Listen("unix", filepath.Join(root, "socket"))
	is.NoErr(err)
	t.Cleanup(func() { socket.Close() })
	f := File{Roots: []string{root, "/dev"}}
	for _, path := range []string{filepath.Join(root, "pipe"), filepath.Join(root, "socket"), "/dev/zero", "/dev/null"} {
		is.Equal(read(t, f, fileURI(path)), "resource not allowed: it is a pipe, a device or a socket; only files can be read")
	}
	is.Equal(read(t, f, fileURI(root)), "resource not found: the folder has no files") // nor are they in the folder's contents
}

func TestAFileOfUnknownSizeIsReadCompletely(t *testing.T) {
	const status = "/proc/self/status"
	if _, err := os.Stat(status); err != nil {
		t.Skip("only Linux has files whose size it reports as 0: ", err)
	}
	is := is.New(t)
	f := File{Roots: []string{"/proc"}}
	contents, err := f.Read(t.Context(), fileURI(status))
	is.NoErr(err)
	is.True(len(*contents[0].Text) > 500)
	f.MaxBytes = 100
	_, err = f.Read(t.Context(), fileURI(status))
	is.True(errors.Is(err, ErrTooLarge)) // the limit applies to the bytes that are read
}

func TestAPipeThatReplacesAFileIsRefusedWithoutWaiting(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600))
	dir, err := os.OpenRoot(root)
	is.NoErr(err)
	t.Cleanup(func() { dir.Close() })
	file, err := dir.OpenFile("pipe", os.O_RDONLY|syscall.O_NONBLOCK, 0) // as if it was created after the first check
	is.NoErr(err)
	info, err := file.Stat()
	is.NoErr(err)
	is.True(!info.Mode().IsRegular()) // so the second check finds it
	is.NoErr(file.Close())
}
