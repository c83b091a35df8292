package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Program opens connections with a program that speaks MCP over stdin and stdout. Each connection
// has its own process, which ends with it, together with all processes that it has started.
type Program struct {
	Runner *process.Runner
	Path   string // absolute
	Args   []string
	Dir    string   // its working directory; empty: that of this process
	Env    []string // its whole environment
	Stderr io.Writer
	// MaxMessage is the maximum size of a message in bytes; a longer one is dropped and logged.
	MaxMessage int
	// Patience is how long the program may take to end when its stdin is closed, before it is
	// asked to end by a signal.
	Patience time.Duration
	Log      *slog.Logger
}

// Find returns the path of a program as a shell finds it.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("%s cannot be started: %w", name, errors.Unwrap(err))
	}
	return path, nil
}

// Open starts the program.
func (p *Program) Open(_ string, receive Receiver) (Conn, error) {
	c := &child{program: p, receive: receive, lines: make(chan []byte), done: make(chan struct{}),
		gone: make(chan struct{})}
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(context.Background())
	var copying sync.WaitGroup
	copying.Go(func() { c.write(in) })
	copying.Go(func() { c.read(out) })
	go func() {
		defer close(c.done)
		defer c.cancel()
		c.result, c.err = p.Runner.Run(ctx, process.Command{
			Path: p.Path, Args: p.Args, Dir: p.Dir, Env: p.Env,
			Stdin: stdin, Stdout: stdout, Stderr: p.Stderr,
		})
		close(c.gone)
		stdin.Close()
		stdout.Close()
		copying.Wait()
	}()
	return c, nil
}

// A process is a connection with a program.
type child struct {
	program *Program
	receive Receiver
	lines   chan []byte // to its stdin
	cancel  context.CancelFunc
	closing sync.Once

	gone   chan struct{}  // closed when the program has ended
	done   chan struct{}  // closed when all its output was passed on, too
	result process.Result // read only after done is closed
	err    error          // the same
}

// write writes the client's messages to stdin, until the connection or the program ends.
func (c *child) write(in *io.PipeWriter) {
	defer in.Close()
	for {
		select {
		case line := <-c.lines:
			if line == nil {
				return
			}
			if _, err := in.Write(append(line[:len(line):len(line)], '\n')); err != nil {
				return
			}
		case <-c.gone:
			return
		}
	}
}

// read passes on the program's messages. Other lines are logged and dropped.
func (c *child) read(out io.ReadCloser) {
	defer out.Close()
	lines := pipeline.NewNDJSON(out, io.Discard, c.program.MaxMessage)
	for {
		var line json.RawMessage
		err := lines.ReadObject(&line)
		var wrong *pipeline.LineError
		switch {
		case errors.As(err, &wrong):
			c.program.Log.Warn("the program wrote a line that is too long", "error", err, "line", string(wrong.Line))
		case err != nil:
			return
		case len(line) > 0:
			c.receive(line, "")
		}
	}
}

func (c *child) Send(ctx context.Context, line []byte) error {
	select {
	case c.lines <- line:
		return nil
	case <-c.gone:
		return ErrEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *child) Close() {
	c.closing.Do(func() {
		patience, cancel := context.WithTimeout(context.Background(), c.program.Patience)
		defer cancel()
		if c.Send(patience, nil) == nil { // closes its stdin, which asks it to end
			select {
			case <-c.gone:
			case <-patience.Done():
			}
		}
		c.cancel()
	})
	<-c.done
}

func (c *child) Done() <-chan struct{} { return c.done }

func (c *child) Err() error {
	var start *process.StartError
	switch {
	case errors.As(c.err, &start):
		return fmt.Errorf("%w: %w", ErrEnded, start)
	case c.result.Signal != "":
		return fmt.Errorf("%w: %s", ErrEnded, c.result.Signal)
	case c.err == nil && c.result.ExitCode != 0:
		return fmt.Errorf("%w: exit code %d", ErrEnded, c.result.ExitCode)
	}
	return ErrEnded
}
