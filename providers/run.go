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
	Dir      string        // "": where the Run likes, such as the project's folder
	Env      []string      // NAME=value
	Timeout  time.Duration // 0: none but that of the context
	MaxBytes int           // of stdout; a command that writes more is ended
}

// An Output is what a Command left.
type Output struct {
	Stdout    []byte
	Truncated bool   // it wrote more than MaxBytes
	Stderr    string // the end of it, without blanks around
	ExitCode  int
	Signal    string // that ended it, such as "SIGKILL"; or empty
}

// A Run runs a command until it ends, and leaves nothing of it running. That it
// ended with a code other than 0, or wrote too much, is not an error. The error is
// the cause of ctx where that ended first, else that the command could not be
// started, or took longer than it may. Several goroutines may call it at once.
type Run func(ctx context.Context, c Command) (Output, error)

// within runs a command and returns what it left, with a fault of this package
// where there is no such thing.
func (run Run) within(ctx context.Context, c Command) (Output, error) {
	if run == nil {
		return Output{}, fmt.Errorf("%w: nothing here runs programs", ErrUnavailable)
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
