//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
)

// inUse is false: on Unix, files in use can be opened.
func inUse(error) bool { return false }

func rename(in folder, old, path string) error { return in.Rename(old, path) }

// renameNew gives a file its name, which must not exist yet. It may keep the old name too.
func renameNew(old, path string) error {
	err := os.Link(old, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, there := os.Lstat(path); there == nil {
		return &fs.PathError{Op: "link", Path: path, Err: fs.ErrExist}
	}
	return os.Rename(old, path)
}
