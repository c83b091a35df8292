//go:build !unix

package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// executableBits reports whether files have an executable mode. Here their names decide, and any
// script counts.
const executableBits = false

// startable reports whether the system would start the file by itself.
func startable(_ fs.FileMode, name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".exe", ".com", ".bat", ".cmd":
		return true
	}
	return false
}

// A dir is a folder and its entries.
type dir struct {
	path string
	stamp
}

func openDir(path string) (*dir, error) {
	was, err := stampAt(path)
	switch {
	case err != nil:
		return nil, err
	case !was.mode.IsDir():
		return nil, errNotFolder
	}
	return &dir{path, was}, nil
}

func (d *dir) Close() {}

// entries returns the entries of the folder, in any order.
func (d *dir) entries() ([]dirEntry, error) {
	var found []fs.DirEntry
	err := files.Patient(func() (err error) { found, err = os.ReadDir(d.path); return err })
	return entriesOf(found), err
}

// stat returns the stamp of the file that a name in the folder leads to.
func (d *dir) stat(name string) (stamp, error) { return stampAt(filepath.Join(d.path, name)) }

// stampAt returns the stamp of the file that a path leads to.
func stampAt(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stampFor(err), err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) stamp {
	at := info.ModTime().UnixNano()
	return stamp{size: info.Size(), modified: at, changed: at, mode: info.Mode()}.now()
}

// read reads a file in the folder, as readFile does.
func (d *dir) read(name string, limit int64) ([]byte, stamp, error) {
	return readFile(filepath.Join(d.path, name), limit)
}

// readFile reads a file of up to limit bytes. The stamp is from before, so that a change while
// it is read shows the next time. A pipe is refused without waiting for its other end.
func readFile(path string, limit int64) ([]byte, stamp, error) {
	data, info, err := files.ReadStat(path, limit)
	var was stamp
	if info != nil {
		was = stampOf(info)
	} else {
		was = depOf(path).stamp // of what cannot be opened
	}
	if errors.Is(err, files.ErrTooLarge) {
		err = files.ErrTooLarge
	}
	return data, was, err
}
