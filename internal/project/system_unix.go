//go:build unix

package project

import (
	"io/fs"
	"syscall"
	"time"
)

// executableBits reports whether files have an executable mode.
const executableBits = true

// startable reports whether the system would start the file by itself.
func startable(mode fs.FileMode, _ string) bool { return mode&0o111 != 0 }

// systemStamp returns the identity of a file, the time of its last change, and whether it has other
// names.
func systemStamp(info fs.FileInfo) (id fileID, changed time.Time, links bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}, info.ModTime(), false
	}
	return fileID{device: uint64(st.Dev), inode: uint64(st.Ino)}, changeTime(st), info.Mode().IsRegular() && st.Nlink > 1
}
