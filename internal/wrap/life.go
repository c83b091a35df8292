package wrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// A life is the program from its start to its end.
type life struct {
	server  *behind.Server
	answers func(context.Context, *pipeline.Message, pipeline.Handler) (*pipeline.Message, error) // see [behind.Server.Stage]
	stdin   *os.File
	kill    context.CancelFunc

	ready  chan struct{} // closed when it takes messages of the client
	failed error         // why it never will; read after ready

	stderr process.Tail
	done   chan struct{}  // closed when it has ended
	result process.Result // read after done
	err    error          // the same
}

// exits is how long a program that closed its stdout may take to end, to say how it has.
const exits = time.Second

// begin starts the program, and returns what it will write, too. An error of the start itself is returned by why. gone is
// called when it has ended, and returns the error for the calls that it leaves behind.
func (s Server) begin(ctx context.Context, gone func(*life) error) (l *life, fromServer *os.File, err error) {
	stdin, toServer, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	fromServer, stdout, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, stdin.Close(), toServer.Close())
	}
	l = &life{stdin: toServer, ready: make(chan struct{}), done: make(chan struct{}), stderr: process.Tail{Limit: s.LastWords}}
	ctx, l.kill = context.WithCancel(context.WithoutCancel(ctx))
	var stream jsonrpc2.ObjectStream = pipeline.NewNDJSON(fromServer, toServer, s.MaxMessage)
	if s.ContentLength {
		stream = pipeline.NewContentLength(fromServer, toServer, s.MaxMessage)
	}
	l.server = behind.New(stream, behind.Options{
		Dialect: s.Dialect,
		Log:     s.Log,
		Gone:    func(error) error { return gone(l) },
	})
	l.answers = l.server.Stage().Inbound
	go l.run(ctx, s, stdin, stdout)
	return l, fromServer, nil
}

func (l *life) run(ctx context.Context, s Server, stdin, stdout *os.File) {
	defer close(l.done)
	defer stdin.Close()
	defer stdout.Close()
	c := s.Command
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, &l.stderr
	if s.Command.Stderr != nil {
		c.Stderr = io.MultiWriter(&l.stderr, s.Command.Stderr)
	}
	c.Started = func(int) {
		stdin.Close() // it has its own, and its end is to be seen
		stdout.Close()
	}
	l.result, l.err = s.Runner.Run(ctx, c)
}

// end asks the program to end, and returns when it has.
func (l *life) end() {
	l.stdin.Close()
	select {
	case <-l.done:
	case <-time.After(patience):
		l.kill()
		<-l.done
	}
}

// over reports whether the program has ended.
func (l *life) over() bool {
	select {
	case <-l.server.Gone():
		return true
	default:
		return false
	}
}

// why returns why the program answers no more calls. again: the next one starts it again.
func (l *life) why(again bool) error {
	e := Ended{How: "has ended", Again: again}
	select {
	case <-l.done:
	case <-time.After(exits):
		e.How = "has closed its output"
		return e
	}
	e.Stderr = strings.TrimSpace(strings.ToValidUTF8(l.stderr.Text(), "\ufffd"))
	var start *process.StartError
	switch {
	case errors.As(l.err, &start):
		return start
	case l.result.Signal != "":
		e.How += ": " + l.result.Signal
	case l.err == nil && l.result.ExitCode != 0:
		e.How += fmt.Sprintf(": exit code %d", l.result.ExitCode)
	}
	return e
}

// Ended is the error for calls of a server that has ended.
type Ended struct {
	How    string
	Again  bool   // the next call starts it again
	Stderr string // its end
}

func (e Ended) Error() string {
	text := "the server " + e.How
	if e.Again {
		text += "; the next call starts it again"
	}
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// Is makes an Ended a [behind.ErrGone].
func (e Ended) Is(target error) bool { return target == behind.ErrGone }
