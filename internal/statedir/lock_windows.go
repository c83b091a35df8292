package statedir

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks a file, or fails if another process has locked it.
func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0,
		1, 0, new(windows.Overlapped))
}

// createLocked creates the lock file of a new folder; nil if it cannot. On Windows an open file
// cannot be renamed, but nobody else can open this one from the beginning.
func createLocked(path string) *os.File {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(handle), path)
}

// release closes the file, which cannot be removed while it is open.
func release(f *os.File) { f.Close() }

// ownedByUser is true for all files: the folder for temporary files belongs to one user.
func ownedByUser(fs.FileInfo) bool { return true }
