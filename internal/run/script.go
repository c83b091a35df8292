package run

import (
	"context"
	"path/filepath"
	"strings"
	"time"
)

// A Command is one run of a program that reads something for a client: a provider's
// script, or git.
type Command struct {
	Path     string // absolute
	Args     []string
	Dir      string        // "": the project's folder
	Env      []string      // NAME=value
	Timeout  time.Duration // not counting pauses; 0: only that of the context
	MaxBytes int           // of stdout; 0: the default of the limits. A command that writes more is ended
}

// An Output is what a command wrote and how it ended.
type Output struct {
	Stdout    []byte
	Truncated bool   // it wrote more than MaxBytes
	Stderr    string // the end of it, trimmed
	ExitCode  int
	Signal    string // the signal that ended it, such as "SIGKILL"; empty for none
}

// Run runs a command with exactly the variables of c.Env. An exit code other than
// 0, or too much output, is not an error.
func (r *Runtime) Run(ctx context.Context, c Command) (Output, error) {
	o := r.execute(ctx, job{path: c.Path, args: c.Args, dir: c.Dir, env: c.Env, times: times{limit: c.Timeout},
		output: c.MaxBytes, cut: true})
	out := Output{
		Stdout: o.stdout.Bytes(), Truncated: o.stdout.Truncated(),
		Stderr: strings.TrimSpace(o.stderr.Text()), ExitCode: o.ended.ExitCode, Signal: o.ended.Signal,
	}
	return out, o.endedBy(ctx, filepath.Base(c.Path)) // clients see this error
}

// scriptTimes returns the time that a script other than a tool has, by its metadata or else as usual.
func (r *Runtime) scriptTimes(own *time.Duration) times {
	if own != nil {
		return times{limit: *own}
	}
	return times{limit: r.Limits.Timeout}
}

// Script is Run for a script of the project, which also gets the variables of all
// scripts.
func (r *Runtime) Script(ctx context.Context, c Command) (Output, error) {
	env, err := r.scriptEnvironment(c.Env...)
	if err != nil {
		return Output{}, err
	}
	c.Env = env
	return r.Run(ctx, c)
}
