package process

import (
	"errors"
	"strconv"
	"syscall"
)

const outOfResources = "end other programs, or raise the limits of the system (ulimit)"

// Scarce returns an error that explains why the command at path cannot be started, if err
// means that the system, or a limit that the server inherited, does not allow another process
// or file; else nil.
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

// limitOf returns a limit as text, "" if there is none.
func limitOf(n uint64) string {
	if n > 1<<32 {
		return ""
	}
	return " (limit " + strconv.FormatUint(n, 10) + ")"
}
