//go:build unix

package process

import (
	"errors"
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// Executable reports whether this process may execute a file, or enter a folder. On systems without a permission for
// that, whether there is one.
func Executable(path string) bool { return unix.Access(path, unix.X_OK) == nil }

// isFormatError reports whether the system did not recognise the file as a program.
func isFormatError(err error) bool { return errors.Is(err, syscall.ENOEXEC) }

// processLimit returns how many processes and threads the user of the server may have.
func processLimit() uint64 { return softLimit(unix.RLIMIT_NPROC) }

// OpenFiles returns how many files this process may have open; MaxUint64 for no limit.
func OpenFiles() uint64 { return softLimit(unix.RLIMIT_NOFILE) }

func softLimit(resource int) uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(resource, &l) != nil || l.Cur > math.MaxInt64 {
		return math.MaxUint64
	}
	return uint64(l.Cur)
}

// SetUmask sets the mask for the permissions of new files, which commands inherit from the
// server. It applies to the whole process, so that it costs nothing per command. With 0o077,
// what the server and its tools write can be read by the owner only.
func SetUmask(mask int) { unix.Umask(mask) }
