//go:build unix

package project

import (
	"io/fs"
	"syscall"
)

// executableBits tells that files carry a mark for whether the system may start them.
const executableBits = true

// startable reports whether the system would start the file by itself.
func startable(mode fs.FileMode, _ string) bool { return mode&0o111 != 0 }

func idOf(info fs.FileInfo) fileID {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{device: uint64(st.Dev), inode: uint64(st.Ino)}
}
