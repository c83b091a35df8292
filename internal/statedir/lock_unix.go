//go:build unix

package statedir

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// lock locks a file, or fails if another process has locked it.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// createLocked creates the lock file of a new folder and locks it; nil on systems without such
// locks: then only its own server removes the folder. It gets its name after it is locked: until
// then, other servers leave it alone.
func createLocked(path string) *os.File {
	f, err := os.CreateTemp(filepath.Dir(path), lockName+".")
	if err != nil {
		return nil
	}
	if lock(f) != nil || os.Rename(f.Name(), path) != nil {
		f.Close()
		os.Remove(f.Name())
		return nil
	}
	return f
}

// release does nothing: an open file can be removed on Unix, and the lock ends with it.
func release(*os.File) {}

// ownedByUser reports whether a file belongs to this user, and nobody else can write it.
func ownedByUser(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
