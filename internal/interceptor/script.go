package interceptor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// The most that a script may print.
const (
	maxAnswer = 16 << 20
	maxStderr = 4 << 10
)

// A Host is where the scripts of interceptors run. They have the rights of the server, so they must belong to its
// user, as hooks do.
type Host struct {
	Root   string // the project's folder, where they run
	Rules  hooks.Rules
	Runner *process.Runner
	Env    func() []string
}

// command returns how to start a script, if it may run.
func (h Host) command(path string, more ...string) (process.Command, error) {
	if err := h.Rules.Check(h.Root, path); err != nil {
		return process.Command{}, err
	}
	env := h.Env()
	return process.Command{Path: path, Dir: h.Root, Env: append(env[:len(env):len(env)], more...)}, nil
}

// Script returns an interceptor of a type that starts a script for each message. The question is on its stdin, as one
// line of JSON. An exit code of 0 without output lets the message pass; with output, that is the result. An exit code
// of 1 refuses it, with the first line of stderr as the reason. It fails otherwise.
func (h Host) Script(kind, path string) Func {
	return func(ctx context.Context, q Question) (r Result, err error) {
		c, err := h.command(path, mcp.CallerOf(ctx).Environ()...)
		if err != nil {
			return r, err
		}
		question, err := json.Marshal(q)
		if err != nil {
			return r, err
		}
		stdout, stderr := process.Head{Limit: maxAnswer}, process.Head{Limit: maxStderr}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		c.Stdin, c.Stderr = bytes.NewReader(append(question, '\n')), &stderr
		c.Stdout = bounded{&stdout, cancel}
		ended, err := h.Runner.Run(ctx, c)
		said, _, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(string(stderr.Bytes()), "\ufffd")), "\n")
		switch printed := bytes.TrimSpace(stdout.Bytes()); {
		case err != nil:
			return r, err
		case ended.ExitCode == 1 && kind == Validation && len(printed) == 0 && said != "":
			return verdict(said), nil
		case ended.ExitCode != 0:
			return r, errors.New(strings.TrimSuffix(fmt.Sprintf("%s: exit code %d: %s", path, ended.ExitCode, said), ": "))
		case len(printed) > 0:
			return parse(path, printed)
		case kind == Validation:
			return verdict(""), nil
		}
		return changed(nil), nil
	}
}

// parse reads what a script has printed.
func parse(path string, printed []byte) (Result, error) {
	r, err := resultOf(printed)
	if err != nil {
		err = fmt.Errorf("%s printed what is not a result: %w", path, err)
	}
	return r, err
}

// errFlood is why a script is ended that prints too much.
var errFlood = fmt.Errorf("it printed more than %d MiB", maxAnswer>>20)

// bounded ends the script that writes more than its Head takes.
type bounded struct {
	*process.Head
	end context.CancelCauseFunc
}

func (b bounded) Write(p []byte) (int, error) {
	n, err := b.Head.Write(p)
	if b.Truncated() {
		b.end(errFlood)
	}
	return n, err
}
