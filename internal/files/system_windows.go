package files

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// Windows has no such flags: only the check before opening applies to links, and no name in a folder is a pipe.
const noFollow, nonBlock = 0, 0

// inUse reports whether another program has opened the file in a mode that excludes us.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// rename replaces a file, and waits for programs that are reading it.
func rename(in folder, old, path string) error {
	return Patient(func() error {
		err := in.Rename(old, path)
		if info, statErr := in.Lstat(path); errors.Is(err, windows.ERROR_ACCESS_DENIED) && statErr == nil &&
			info.Mode().IsRegular() && info.Mode()&0o200 != 0 {
			return &os.LinkError{Op: "rename", Old: old, New: path,
				Err: windows.ERROR_SHARING_VIOLATION} // the system's error for this
		}
		return err
	})
}

// renameNew gives a file its name, which must not exist yet. It never has two names: the second one
// could not be removed while another program reads the file.
func renameNew(old, path string) error {
	from, err := windows.UTF16PtrFromString(old)
	if err != nil {
		return &os.PathError{Op: "rename", Path: old, Err: err}
	}
	to, err := windows.UTF16PtrFromString(path)
	if err == nil {
		err = windows.MoveFile(from, to)
	}
	if err != nil {
		return &os.PathError{Op: "rename", Path: path, Err: err}
	}
	return nil
}

// giveTo does nothing: on Windows, the folder decides who may use its files.
func giveTo(*os.File, fs.FileInfo) error { return nil }

// sharing returns a fixed result, since Windows has no mode bits for it.
func sharing(fs.FileInfo) (own, others bool) { return true, false }

func stampOf(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	at := info.ModTime().UnixNano()
	return Stamp{Size: info.Size(), Modified: at, Changed: at, Mode: info.Mode()}, nil
}
