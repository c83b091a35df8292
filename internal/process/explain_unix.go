//go:build unix

package process

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// mayExecute reports whether this process may execute a file, or enter a folder.
func mayExecute(path string) bool { return unix.Access(path, unix.X_OK) == nil }

// isFormatError reports whether the system did not recognise the file as a program.
func isFormatError(err error) bool { return errors.Is(err, syscall.ENOEXEC) }
