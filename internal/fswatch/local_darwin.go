package fswatch

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// checkLocal returns an error for a path on a file system that others may change as well.
func checkLocal(path string) error {
	var system unix.Statfs_t
	if err := unix.Statfs(path, &system); err != nil {
		return &fs.PathError{Op: "watch", Path: path, Err: err}
	}
	if system.Flags&unix.MNT_LOCAL == 0 {
		return &fs.PathError{Op: "watch", Path: path, Err: ErrRemote}
	}
	return nil
}
