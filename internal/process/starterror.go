package process

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
