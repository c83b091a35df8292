package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Make writes a file that is not there yet. Whatever is there under that name, also a link that
// leads nowhere, is an error and is left alone: to write over what somebody else has put there may
// be to write somewhere else.
func Make(path string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// MakeWhole is [Make] of a file that nobody sees before all is in it. On a Unix file system without
// links, one that somebody else makes at the same time may be replaced.
func MakeWhole(path string, data []byte, perm fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return appear(f.Name(), path)
}

// RemoveAll is [os.RemoveAll] that also removes folders whose mode keeps their owner from it, and
// what is in a folder that may not be listed.
func RemoveAll(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && err == nil {
			_ = os.Chmod(path, 0o700) // before it is read
		}
		return nil
	})
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
	}
	if err != nil {
		return err
	}
	return os.Remove(path) // without a look at the folder around
}
