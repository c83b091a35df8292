package process

import (
	"errors"
	"strconv"
	"syscall"
)

// A StartError is the reason why a command could not be started, in words for the author of
// the tool. [errors.Is] finds the system's error, such as [io/fs.ErrNotExist] or
// [io/fs.ErrPermission].
type StartError struct {
	// Path is the program as given in the Command.
	Path string
	// Reason is what is wrong: "it has no permission to be executed".
	Reason string
	// Hint is what to do about it: "run chmod +x /project/tools/hello.sh".
	Hint string
	// Err is the error of the system, if there was one.
	Err error
}

func (e *StartError) Error() string {
	s := "cannot start " + e.Path + ": " + e.Reason
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e *StartError) Unwrap() error { return e.Err }

// unlimited is the error for a command whose limits could not be set, so it was not run. Its path follows.
func unlimited(err error) *StartError {
	return &StartError{Reason: "its limits cannot be set: " + err.Error(), Err: err}
}

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
