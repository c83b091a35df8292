//go:build unix

package process

import (
	"math"

	"golang.org/x/sys/unix"
)

// processLimit returns how many processes and threads the user of the server may have.
func processLimit() uint64 { return softLimit(unix.RLIMIT_NPROC) }

// OpenFiles returns how many files this process may have open; MaxUint64 for no limit.
func OpenFiles() uint64 { return softLimit(unix.RLIMIT_NOFILE) }

// softLimit returns a limit of this process; MaxUint64 for none.
func softLimit(resource int) uint64 {
	var l unix.Rlimit
	if unix.Getrlimit(resource, &l) != nil || l.Cur > math.MaxInt64 {
		return math.MaxUint64
	}
	return uint64(l.Cur)
}
