//go:build !unix

package catalog

import (
	"io/fs"
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
