package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// inUse reports whether somebody else has the file open in a way that keeps us out.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// rename replaces a file, and waits for programs that are reading it.
func rename(in folder, old, path string) error {
	return Patient(func() error {
		err := in.Rename(old, path)
		if info, statErr := in.Lstat(path); errors.Is(err, windows.ERROR_ACCESS_DENIED) && statErr == nil && info.Mode().IsRegular() && info.Mode()&0o200 != 0 {
			return &os.LinkError{Op: "rename", Old: old, New: path, Err: windows.ERROR_SHARING_VIOLATION} // which the system calls so
		}
		return err
	})
}

// appear gives a file its name, which is not taken yet. It has no second one at any time: that could
// not be removed while somebody reads the file by its new name.
func appear(old, path string) error {
	from, err := windows.UTF16PtrFromString(old)
	if err != nil {
		return &os.PathError{Op: "rename", Path: old, Err: err}
	}
	to, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return &os.PathError{Op: "rename", Path: path, Err: err}
	}
	if err := windows.MoveFile(from, to); err != nil {
		return &os.PathError{Op: "rename", Path: path, Err: err}
	}
	return nil
}
