package script

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// mayExecute reports whether a file or folder is there: Windows has no permission bit for it.
func mayExecute(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isFormatError reports whether the system took the file for no program.
func isFormatError(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }
