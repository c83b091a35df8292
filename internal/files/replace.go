package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes the file at path as a whole: who reads it sees the old one or the new
// one. A link at path is replaced, not followed. Its folder must be there.
func Replace(path string, data []byte, perm fs.FileMode) error {
	return ReplaceWith(path, perm, func(f io.Writer) error {
		_, err := f.Write(data)
		return err
	})
}

// ReplaceWith is [Replace] by what write writes. If that fails, nothing has changed.
func ReplaceWith(path string, perm fs.FileMode, write func(io.Writer) error) error {
	return ReplaceIf(path, perm, write, func() error { return nil })
}

// ReplaceIf is [ReplaceWith] that calls still when all is written, as late as can be, and
// replaces nothing if it returns an error.
func ReplaceIf(path string, perm fs.FileMode, write func(io.Writer) error, still func() error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync() // or it may be empty after the machine has crashed
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = still()
	}
	if err == nil {
		err = rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
