package providers

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Command is a program that a provider runs: a script of the project, or git.
type Command struct {
	Path     string // absolute
	Args     []string
	Dir      string        // "": chosen by the Run, such as the project's folder
	Env      []string      // NAME=value
	Timeout  time.Duration // 0: only that of the context
	MaxBytes int           // of stdout; a command that writes more is ended
}

// An Output is the output of a Command.
type Output struct {
	Stdout    []byte
	Truncated bool   // it wrote more than MaxBytes
	Stderr    string // the end of it, without surrounding blanks
	ExitCode  int
	Signal    string // signal that ended it, such as "SIGKILL"; or empty
}

// A Run runs a command until it ends, and leaves none of its processes running. An exit code other
// than 0, or too much output, is not an error. The error is the cause of ctx if that ended first,
// else that the command could not be started, or timed out. Several goroutines may call it at once.
type Run func(ctx context.Context, c Command) (Output, error)

// runCommand runs a command and returns its output, or a fault of this package.
func (run Run) runCommand(ctx context.Context, c Command) (Output, error) {
	if run == nil {
		return Output{}, fmt.Errorf("%w: this server cannot run programs", ErrUnavailable)
	}
	out, err := run(ctx, c)
	var known *fault
	switch {
	case err != nil && ctx.Err() != nil, errors.As(err, &known):
		return out, err
	case err != nil:
		return out, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case out.Truncated:
		return out, tooLarge(int64(c.MaxBytes))
	}
	return out, nil
}
