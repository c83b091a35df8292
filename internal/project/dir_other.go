//go:build !unix

package project

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// A dir is a folder and its entries.
type dir struct {
	path string
	stamp
}

func openDir(path string) (*dir, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, errNotFolder
	}
	return &dir{path, stampOf(info)}, nil
}

func (d *dir) Close() {}

// entries returns the entries of the folder, in any order.
func (d *dir) entries() (all []fs.DirEntry, err error) {
	err = files.Patient(func() (err error) { all, err = os.ReadDir(d.path); return err })
	return all, err
}

// stat returns the stamp of the file that a name in the folder leads to.
func (d *dir) stat(name string) (stamp, error) {
	info, err := os.Stat(filepath.Join(d.path, name))
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// read reads a file in the folder, as readFile does.
func (d *dir) read(name string, limit int64) ([]byte, stamp, error) {
	return readFile(filepath.Join(d.path, name), limit)
}
