package serving

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Failure converts the error at the end of the pipeline to the error of the process.
func Failure(err error) error {
	switch {
	case errors.As(err, new(pipeline.End)):
		return nil
	case errors.As(err, new(signalled)), errors.Is(err, ErrUnread), errors.Is(err, ErrOrphaned),
		errors.Is(err, server.ErrClosed):
		return nil
	case clientIsGone(err): // (S-11)
		return nil
	case errors.Is(err, middleware.ErrTripped):
		return console.Usagef("%w; see the log above. MCPBASH_ALLOW_CORRUPT_STDOUT=true keeps the server running", err)
	}
	return err
}

// clientIsGone reports whether the error is that of writing to a client that has disconnected.
func clientIsGone(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) ||
		slices.ContainsFunc(closedByReader, func(e error) bool { return errors.Is(err, e) })
}

// Reasons why a server ends although its client is still connected.
var (
	ErrUnread = errors.New("nobody reads the answers any more")
	// ErrOrphaned: the process that started the server has exited.
	ErrOrphaned = errors.New("the parent process is gone")
)

// signalled is the reason of a server that a signal has ended.
type signalled struct{ os.Signal }

func (s signalled) Error() string {
	switch s.Signal {
	case os.Interrupt:
		return "signal SIGINT"
	case syscall.SIGTERM:
		return "signal SIGTERM"
	case syscall.SIGHUP:
		return "signal SIGHUP"
	}
	return "signal " + s.Signal.String()
}

// An Ending ends a server by its context.
type Ending struct {
	Context context.Context
	Stop    context.CancelCauseFunc

	caught    chan struct{} // closed when signals are caught
	lastWords atomic.Pointer[func(why error)]
}

// OnSignal returns the Ending for the signals that clients send to end a server (S-10). They kill a
// server that has not exited after two seconds, so exit is called within one second, whatever is
// stuck, and at once after a second signal.
//
// Catching signals takes a while, because the runtime hands each of them to a thread of its own. So it
// is done beside the rest of the start; see [Ending.Caught].
func OnSignal(exit func(code int)) *Ending {
	e := &Ending{caught: make(chan struct{})}
	e.Context, e.Stop = context.WithCancelCause(context.Background())
	go func() {
		signals := make(chan os.Signal, 2)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		ignoreBrokenPipes()
		close(e.caught)
		why := signalled{<-signals}
		e.Stop(why)
		select {
		case <-signals:
		case <-time.After(lastAnswers):
		}
		said := make(chan struct{})
		go func() {
			defer close(said)
			if lastWords := e.lastWords.Load(); lastWords != nil {
				(*lastWords)(why)
			}
		}()
		select {
		case <-said:
		case <-time.After(lastWordsTime):
		}
		exit(1)
	}()
	return e
}

// Caught returns when signals are caught. Before that they end the process at once.
func (e *Ending) Caught() { <-e.caught }

// Stderr returns a writer to stderr that waits until signals are caught: before that, the process
// would be ended by writing what nobody reads.
func (e *Ending) Stderr(f *os.File) io.Writer { return afterCaught{f, e} }

type afterCaught struct {
	file   *os.File
	ending *Ending
}

func (w afterCaught) Write(p []byte) (int, error) {
	w.ending.Caught()
	return w.file.Write(p)
}

// BeforeExit sets what is called before exit, which does not wait for it longer than lastWordsTime.
func (e *Ending) BeforeExit(lastWords func(why error)) { e.lastWords.Store(&lastWords) }

// lastAnswers is how long a server may take to end after a signal. Scripts have been
// killed before that.
const lastAnswers = 900 * time.Millisecond

// lastWordsTime is how long lastWords may take after that.
const lastWordsTime = 50 * time.Millisecond
