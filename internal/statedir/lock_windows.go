package statedir

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the lock of a file, or fails if somebody else has it.
func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
}

// release closes the file, which cannot be removed while it is open.
func release(f *os.File) { f.Close() }

// ours holds for all files: the folder for temporary files is that of one user.
func ours(fs.FileInfo) bool { return true }
