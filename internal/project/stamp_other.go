//go:build !unix

package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// stampAt returns the stamp of the file that a path leads to.
func stampAt(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stampFor(err), err
	}
	at := info.ModTime().UnixNano()
	return stamp{size: info.Size(), modified: at, changed: at, mode: info.Mode()}.now(), nil
}
