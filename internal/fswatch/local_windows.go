package fswatch

import (
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// checkLocal returns an error for a path on a network drive.
func checkLocal(path string) error {
	volume, err := windows.UTF16PtrFromString(filepath.VolumeName(path) + `\`)
	if err != nil {
		return &fs.PathError{Op: "watch", Path: path, Err: err}
	}
	switch windows.GetDriveType(volume) {
	case windows.DRIVE_FIXED, windows.DRIVE_REMOVABLE, windows.DRIVE_RAMDISK, windows.DRIVE_CDROM:
		return nil
	}
	return &fs.PathError{Op: "watch", Path: path, Err: ErrRemote}
}
