//go:build !unix

package project

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// executableBits tells that files carry a mark for whether the system may start them. Here their
// names tell, and any script counts.
const executableBits = false

// startable reports whether the system would start the file by itself.
func startable(_ fs.FileMode, name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".exe", ".com", ".bat", ".cmd":
		return true
	}
	return false
}

// systemStamp is what the system says of a file: which it is, when it was changed last, and whether
// it has other names.
func systemStamp(info fs.FileInfo) (id fileID, changed time.Time, links bool) {
	return fileID{}, info.ModTime(), false
}
