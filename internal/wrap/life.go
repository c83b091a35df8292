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
	"github.com/mcp-bash/mcp-bash/v2/internal/remote"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// A life is the program from its start to its end.
type life struct {
	server *behind.Server
	// answers: see [behind.Server.Stage].
	answers func(context.Context, *pipeline.Message, pipeline.Handler) (*pipeline.Message, error)
	leave   func() // asks it to end
	kill    func()
	out     io.Closer // of what it writes

	ready  chan struct{} // closed when it takes messages of the client
	failed error         // why it never will; read after ready

	stderr process.Tail
	done   <-chan struct{} // closed when it has ended
	result process.Result  // read after done
	err    error           // the same
	lost   func() error    // why a server elsewhere has ended the conversation; the same
}

// exits is how long a program that closed its stdout may take to end, to say how it has.
const exits = time.Second

// begin starts the program, or a conversation with one elsewhere. An error of the start itself is returned by why. gone
// is called when it has ended, and returns the error for the calls that it leaves behind.
func (s Server) begin(ctx context.Context, gone func(*life) error) (*life, error) {
	l := &life{ready: make(chan struct{}), stderr: process.Tail{Limit: s.LastWords}}
	if s.Remote != nil {
		conn := remote.Open(*s.Remote)
		l.leave, l.kill = func() { _ = conn.CloseWrite() }, func() { conn.Close() }
		l.out, l.done, l.lost = conn, conn.Done(), conn.Err
		l.speak(s, conn, conn, gone)
		return l, nil
	}
	stdin, toServer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromServer, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), toServer.Close())
	}
	done := make(chan struct{})
	ctx, kill := context.WithCancel(context.WithoutCancel(ctx))
	l.leave, l.kill = func() { toServer.Close() }, kill
	l.out, l.done, l.lost = fromServer, done, func() error { return nil }
	l.speak(s, fromServer, toServer, gone)
	go func() {
		defer close(done)
		l.run(ctx, s, stdin, stdout)
	}()
	return l, nil
}

// speak puts the program behind the pipeline.
func (l *life) speak(s Server, from io.Reader, to io.Writer, gone func(*life) error) {
	var stream jsonrpc2.ObjectStream = pipeline.NewNDJSON(from, to, s.MaxMessage)
	if s.ContentLength {
		stream = pipeline.NewContentLength(from, to, s.MaxMessage)
	}
	l.server = behind.New(stream, behind.Options{
		Dialect: s.Dialect,
		Log:     s.Log,
		Gone:    func(error) error { return gone(l) },
	})
	l.answers = l.server.Stage().Inbound
}

func (l *life) run(ctx context.Context, s Server, stdin, stdout *os.File) {
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
	l.leave()
	select {
	case <-l.done:
	case <-time.After(patience):
		l.kill()
		<-l.done
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
	switch lost := l.lost(); {
	case lost != nil:
		e.How = lost.Error()
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
