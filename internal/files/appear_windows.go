package files

import (
	"os"

	"golang.org/x/sys/windows"
)

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
