// Package wrap puts a server that somebody else wrote behind the chain of stages: it starts a program that
// speaks over stdin and stdout, and serves it to one client.
package wrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// A Server is a program that is started for each client.
type Server struct {
	Runner  *process.Runner
	Command process.Command // with Path, Args, Dir, Env and Stderr; the rest is set here
	// ContentLength: it frames its messages as language servers do. Otherwise they are lines.
	ContentLength bool
	// MaxMessage is the maximum size of a message of the program in bytes, 0 for none; a longer one is dropped
	// and logged.
	MaxMessage int
	// LastWords is how many bytes of the end of the program's stderr the client is told if the program ends too early.
	// 0 for a client that must not see them.
	LastWords int
	Dialect   pipeline.Dialect
	Trace     pipeline.Tracer // nil costs nothing
	Log       *slog.Logger
}

// Find returns the command of a command line, whose program is found as a shell finds it.
func Find(line []string) (process.Command, error) {
	path, err := exec.LookPath(line[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return process.Command{}, fmt.Errorf("%s cannot be started: %w", line[0], errors.Unwrap(err))
	}
	return process.Command{Path: path, Args: line[1:]}, nil
}

const (
	// patience is how long the program may take to end when its stdin is closed, before it gets a signal.
	patience = 2 * time.Second
	// exits is how long a program that closed its stdout may take to end, to say how it has.
	exits = time.Second
)

// Serve starts the program and serves it, behind the stages, until the client's input or the program ends, or ctx. Then
// the program and all processes that it has started have ended, too. The error is a *process.StartError for a program that
// cannot be started, an [Ended] for one that ended by itself, or that of [pipeline.Pipeline.Run].
func (s Server) Serve(ctx context.Context, client jsonrpc2.ObjectStream, stages []pipeline.Middleware) error {
	stdin, toServer, err := os.Pipe()
	if err != nil {
		return err
	}
	fromServer, stdout, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close(), toServer.Close())
	}
	defer fromServer.Close()
	p := &child{done: make(chan struct{}), stderr: process.Tail{Limit: s.LastWords}}
	running, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	go p.run(running, s, stdin, stdout)

	var stream jsonrpc2.ObjectStream = pipeline.NewNDJSON(fromServer, toServer, s.MaxMessage)
	if s.ContentLength {
		stream = pipeline.NewContentLength(fromServer, toServer, s.MaxMessage)
	}
	other := behind.New(stream, behind.Options{
		Dialect: s.Dialect,
		Log:     s.Log,
		Gone:    func(error) error { return p.why() },
	})
	chain := append(stages[:len(stages):len(stages)], other.Stage())
	leaving := make(chan struct{}) // closed when the client has left
	relay := pipeline.New(client, chain, other.Handle, pipeline.Options{
		Dialect: s.Dialect,
		CallIDs: "wrap-",
		Trace:   s.Trace,
		Log:     s.Log,
		BeforeClose: func(context.Context) {
			close(leaving)
			toServer.Close() // which asks the program to end
			select {
			case <-p.done:
			case <-time.After(patience):
				kill()
			}
			<-other.Gone() // so what it wrote last has left
		},
	})
	var own error // why the program has ended, if that was before its client left
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer relay.Finish()
		_ = other.Run(ctx, relay)
		select {
		case <-leaving:
		case <-ctx.Done():
		default:
			own = p.why()
		}
	}()
	err = relay.Run(ctx)
	kill()
	toServer.Close()
	<-p.done
	<-read
	if start := new(*process.StartError); errors.As(p.err, start) {
		return *start
	}
	return cmp.Or(own, err)
}

// A process is the program while it runs.
type child struct {
	stderr process.Tail
	done   chan struct{}  // closed when it has ended
	result process.Result // read after done
	err    error          // the same
}

func (p *child) run(ctx context.Context, s Server, stdin, stdout *os.File) {
	defer close(p.done)
	defer stdin.Close()
	defer stdout.Close()
	c := s.Command
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, &p.stderr
	if s.Command.Stderr != nil {
		c.Stderr = io.MultiWriter(&p.stderr, s.Command.Stderr)
	}
	c.Started = func(int) {
		stdin.Close() // it has its own, and its end is to be seen
		stdout.Close()
	}
	p.result, p.err = s.Runner.Run(ctx, c)
}

// why returns why the program answers no more calls.
func (p *child) why() error {
	select {
	case <-p.done:
	case <-time.After(exits):
		return Ended{"has closed its output", ""}
	}
	stderr := strings.TrimSpace(strings.ToValidUTF8(p.stderr.Text(), "\ufffd"))
	var start *process.StartError
	switch {
	case errors.As(p.err, &start):
		return start
	case p.result.Signal != "":
		return Ended{"has ended: " + p.result.Signal, stderr}
	case p.err == nil && p.result.ExitCode != 0:
		return Ended{fmt.Sprintf("has ended: exit code %d", p.result.ExitCode), stderr}
	}
	return Ended{"has ended", stderr}
}

// Ended is the error for calls of a server that has ended.
type Ended struct {
	How    string
	Stderr string // its end
}

func (e Ended) Error() string {
	text := "the server " + e.How
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// Is makes an Ended a [behind.ErrGone].
func (e Ended) Is(target error) bool { return target == behind.ErrGone }
