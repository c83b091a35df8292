// Package plainfile reads files that somebody else has put there: nothing but
// regular files, and no more of them than is expected. A pipe would keep the
// reader waiting for its other end, and a device may never end.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the cause of an error about what is no regular file.
var ErrNotRegular = errors.New("is not a regular file")

// Read returns what is in the file at path, at most limit bytes. Links are
// followed. Errors are of the type *fs.PathError.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // so that a pipe opens at once
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("has more than %d bytes", limit)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
