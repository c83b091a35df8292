package process

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// mayExecute reports whether a file or folder exists: Windows has no permission bit for this.
func mayExecute(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isFormatError reports whether the system did not recognise the file as a program.
func isFormatError(err error) bool { return errors.Is(err, windows.ERROR_BAD_EXE_FORMAT) }
