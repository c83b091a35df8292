//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// giveTo gives a file the owner and group of another. Only root can give a file to another user. A
// group that cannot be kept is not an error: the owner can use the file nevertheless.
func giveTo(f *os.File, as fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	own, ok := info.Sys().(*syscall.Stat_t)
	want, known := as.Sys().(*syscall.Stat_t)
	if !ok || !known || own.Uid == want.Uid && own.Gid == want.Gid {
		return nil
	}
	err = f.Chown(int(want.Uid), int(want.Gid))
	if own.Uid == want.Uid {
		return nil
	}
	var fault *fs.PathError
	if errors.As(err, &fault) { // the path is that of a temporary file
		return fault.Err
	}
	return err
}
