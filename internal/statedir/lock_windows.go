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

// createLocked makes the lock file of a new folder; nil if it cannot. An open file gets no other name there,
// but from its beginning nobody else can open this one.
func createLocked(path string) *os.File {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(handle), path)
}

// release closes the file, which cannot be removed while it is open.
func release(f *os.File) { f.Close() }

// ownedByUser holds for all files: the folder for temporary files is that of one user.
func ownedByUser(fs.FileInfo) bool { return true }
