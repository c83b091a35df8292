package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Make writes a file that does not exist; after an error it does not exist either. If the name
// exists already, even as a link that leads nowhere, it is an error and the file is left alone:
// writing to a file of another user could mean writing elsewhere.
func Make(path string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// MakeWhole is [Make] of a file that nobody sees before it is complete. On a Unix file system
// without hard links, a file that another program creates at the same time may be replaced.
func MakeWhole(path string, data []byte, perm fs.FileMode) error {
	p, err := prepare(wholeSystem{}, path, OwnAccess(perm), bytesOf(data))
	if err != nil {
		return err
	}
	defer p.Drop()
	return renameNew(p.fresh, path)
}

// MakeFolders creates a folder and its parents, and returns those that it created.
func MakeFolders(path string) (made []string, err error) {
	if _, err := os.Stat(path); err == nil {
		return nil, nil // if it is a file, creating a file in it fails
	}
	if parent := filepath.Dir(path); parent != path {
		if made, err = MakeFolders(parent); err != nil {
			return made, err
		}
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return made, err
	}
	return append(made, path), nil
}

// RemoveAll is [os.RemoveAll] that also removes folders whose mode keeps their owner from removing
// or listing their contents.
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
	return os.Remove(path) // without opening its parent
}
