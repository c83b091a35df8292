package script

import (
	"errors"
	"strconv"
	"syscall"
)

const outOfResources = "end other programs, or raise the limits of the system (ulimit)"

// Scarce returns why the command at path cannot be started where err means that the system,
// or a limit that the server was started with, has no room for it; else nil.
func Scarce(path string, err error) *StartError {
	reason := ""
	switch {
	case errors.Is(err, syscall.EMFILE):
		reason = "too many open files" + limitOf(OpenFiles())
	case errors.Is(err, syscall.ENFILE):
		reason = "too many open files on this machine"
	case errors.Is(err, syscall.EAGAIN):
		reason = "too many processes" + limitOf(processLimit())
	case errors.Is(err, syscall.ENOMEM):
		reason = "not enough memory"
	default:
		return nil
	}
	return &StartError{Path: path, Reason: reason, Hint: outOfResources, Err: err}
}

// limitOf names a limit, unless there is none.
func limitOf(n uint64) string {
	if n > 1<<32 {
		return ""
	}
	return " (limit " + strconv.FormatUint(n, 10) + ")"
}
