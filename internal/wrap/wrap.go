// Package wrap puts a server that somebody else wrote behind the chain of stages: it starts a program that
// speaks over stdin and stdout, or speaks with one over HTTP, and serves it to one client.
package wrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/remote"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Server is a program that is started for each client.
type Server struct {
	Runner  *process.Runner
	Command process.Command // with Path, Args, Dir, Env and Stderr; the rest is set here
	// Remote is a server that is spoken with over HTTP instead of a program. Nil: there is none.
	Remote *remote.Server
	// ContentLength: it frames its messages as language servers do. Otherwise they are lines.
	ContentLength bool
	// MaxMessage is the maximum size of a message of the program in bytes, 0 for none; a longer one is dropped
	// and logged.
	MaxMessage int
	// LastWords is how many bytes of the end of the program's stderr the client is told if the program ends too early.
	// 0 for a client that must not see them.
	LastWords int
	// Drain is how long calls may still run when the client's input has ended, 0 for no limit. Then they end with an
	// error.
	Drain time.Duration
	// Restart: when the program has ended, the next call starts it again.
	Restart bool
	Dialect pipeline.Dialect
	Trace   pipeline.Tracer // nil costs nothing
	Log     *slog.Logger
}

// Find returns the command of a command line, whose program is found as a shell finds it.
func Find(line []string) (process.Command, error) {
	path, err := exec.LookPath(line[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return process.Command{}, fmt.Errorf("%s cannot be started: %w", line[0], errors.Unwrap(err))
	}
	return process.Command{Path: path, Args: line[1:]}, nil
}

// patience is how long the program may take to end when its stdin is closed, before it gets a signal.
const patience = 2 * time.Second

// Serve starts the program and serves it, behind the stages, until the client's input or the program ends, or ctx. Then
// the program and all processes that it has started have ended, too. The error is a *process.StartError for a program
// that cannot be started, an [Ended] for one that ended by itself and is not started again, or that of
// [pipeline.Pipeline.Run].
func (s Server) Serve(ctx context.Context, client jsonrpc2.ObjectStream, stages []pipeline.Middleware) error {
	l := &lives{Server: s, ctx: ctx, turn: make(chan struct{}, 1), starts: limit.PerMinute(startsPerMinute),
		leaving: make(chan struct{})}
	chain := append(stages[:len(stages):len(stages)], pipeline.Middleware{Name: "behind", Inbound: l.answered})
	l.relay = pipeline.New(client, chain, l.handle, pipeline.Options{
		Dialect: s.Dialect,
		CallIDs: "wrap-",
		Drain:   s.Drain,
		Trace:   s.Trace,
		Log:     s.Log,
		BeforeClose: func(context.Context) {
			close(l.leaving)
			life := l.now.Load()
			life.end()
			<-life.server.Gone() // so what it wrote last has left
		},
	})
	l.starts.Allow()
	if err := l.start(); err != nil {
		client.Close()
		return err
	}
	close(l.now.Load().ready)
	err := l.relay.Run(ctx)
	l.now.Load().kill()
	l.running.Wait()
	var start *process.StartError
	if errors.As(l.now.Load().err, &start) {
		return start
	}
	return cmp.Or(l.why, err)
}
