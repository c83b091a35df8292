//go:build unix

package statedir

import (
	"io/fs"
	"os"
	"syscall"
)

// lock takes the lock of a file, or fails if somebody else has it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// release does nothing: an open file can be removed here, and the lock ends with it.
func release(*os.File) {}

// ours reports whether a file belongs to this user, and nobody else can write it.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
