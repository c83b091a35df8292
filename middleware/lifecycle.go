package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
	"weak"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// ErrNotReady is the error for a call of ours that no message caused and that was not sent, because
// the session is not ready.
var ErrNotReady = errors.New("the session is not ready")

// Admission configures which messages [Lifecycle] lets pass.
type Admission struct {
	// Early reports whether a method is served before the session is ready. initialize and shutdown
	// always are. Nil: no others are.
	Early func(method string) bool
	// Knows reports whether a revision has a method, or no revision has it, which the handler
	// reports. Nil: all revisions have all methods.
	Knows func(r *mcp.Revision, method string) bool
	// Grace is how long the pipeline continues after shutdown without exit.
	Grace time.Duration
	// Log gets a line about a client that does not confirm its session. Nil: it gets none.
	Log *slog.Logger
}

// patience is how long calls are held that came before the client has confirmed the session.
const patience = time.Second

// Lifecycle decides what a session serves. Until initialize is answered only initialize, shutdown
// and early methods pass, any other call gets -32000; initialize passes once (L-08). Between that
// answer and notifications/initialized calls are held, as some clients send them too early: they go
// on in their order as soon as the client has confirmed, before anything that comes after that. Some
// clients never confirm, so a second after the first held call, or at the end of input, calls go on
// without it. Calls with a claim need no session, see [Stateless].
//
// After shutdown only exit is served, other calls get -32003. exit ends the pipeline without a
// fault once the messages that were read before are answered; the end of the grace period after
// shutdown ends it at once. A shutdown outside of a session ends nothing by itself, and calls with
// a claim are served as before. exit without shutdown gets -32005 as a call and is ignored as a
// notification.
//
// Messages of the server that no message caused leave only while the session is ready: before and
// after, notifications are dropped, and calls fail with [ErrNotReady].
//
// The session is opened, confirmed and closed by the handlers of initialize,
// notifications/initialized and shutdown, which share it with this stage.
//
// Without it a client can call tools before a session is open.
func Lifecycle(s *mcp.Session, a Admission) pipeline.Middleware {
	l := &lifecycle{Admission: a, session: s}
	return pipeline.Middleware{Name: "lifecycle", Inbound: l.inbound, Outbound: l.outbound}
}

type lifecycle struct {
	Admission
	session *mcp.Session

	told sync.Once // what Admission.Log gets

	mu    sync.Mutex
	last  chan struct{} // closed when no call is held any more; nil: none was held
	late  chan struct{} // closed when calls are no longer held; nil: none was held
	grace *time.Timer   // runs since shutdown; nil before
}

func (l *lifecycle) inbound(
	ctx context.Context, m *pipeline.Message, next pipeline.Handler,
) (*pipeline.Message, error) {
	phase := l.session.Phase()
	if m.Kind() == pipeline.Call {
		if err := l.admit(ctx, phase, m.Method()); err == errHeld {
			return l.hold(ctx, m, next)
		} else if err != nil {
			return nil, err
		}
	}
	switch {
	case m.Method() == "exit" && phase == mcp.Closing:
		l.exit(pipeline.From(ctx))
		if m.Kind() == pipeline.Notification {
			return nil, nil
		}
		return m.Answer(nil)
	case m.Method() == "shutdown" && m.Kind() == pipeline.Call:
		answer, err := next(ctx, m)
		if l.session.Phase() == mcp.Closing && l.session.Opened() { // else it was refused further in, or ends nothing
			l.expire(pipeline.From(ctx))
		}
		return answer, err
	case m.Method() == "notifications/initialized":
		answer, err := next(ctx, m)
		l.release(ctx)
		return answer, err
	}
	return next(ctx, m)
}

func (l *lifecycle) outbound(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
	switch {
	case pipeline.Turn(ctx) != nil || l.session.Phase() == mcp.Ready:
		return next(ctx, m)
	case m.Kind() == pipeline.Call: // its sender would wait for ever
		return ErrNotReady
	}
	return nil
}

// errNoExit is the reason for the end of the pipeline some time after shutdown.
const errNoExit = pipeline.End("shutdown without exit")

// errHeld means that a call must wait until the client has confirmed the session.
var errHeld = errors.New("held")

// These are the errors for messages that are not served now.
var (
	errNotInitialized = pipeline.Errorf(mcp.CodeNotInitialized, "Server not initialized")
	errShuttingDown   = pipeline.Errorf(mcp.CodeShuttingDown, "Server shutting down")
)

// admit returns why a call is not served now, nil if it is.
func (l *lifecycle) admit(ctx context.Context, phase mcp.Phase, method string) error {
	switch {
	case mcp.ClaimOf(ctx) != nil: // it needs no session (B-01)
		if phase == mcp.Closing && l.session.Opened() {
			return errShuttingDown
		}
		return nil
	case method == "exit":
		if phase != mcp.Closing {
			return pipeline.Errorf(mcp.CodeNotShuttingDown, "Shutdown not requested")
		}
		return nil
	case phase == mcp.Closing:
		return errShuttingDown
	case method == "initialize":
		if phase != mcp.Unopened {
			return fmt.Errorf("%w: the session is already initialized", pipeline.ErrInvalidRequest)
		}
		return nil
	case method == "shutdown", l.Early != nil && l.Early(method):
		return nil
	case phase == mcp.Unopened:
		return errNotInitialized
	case l.Knows != nil && !l.Knows(l.session.Revision(), method):
		return pipeline.Errorf(jsonrpc2.CodeMethodNotFound, "Method not found: %s", method)
	case phase == mcp.Opening:
		return errHeld
	}
	return nil
}

// hold serves a call once the client has confirmed the session, or has had time to, behind the calls that
// were held before it.
func (l *lifecycle) hold(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
	before, late, gone := l.enter()
	pipeline.Afterwards(ctx, func(context.Context) { gone() })
	pipeline.Yield(ctx)
	pipeline.Note(ctx, "waits for", "notifications/initialized")
	select {
	case <-l.session.Ready():
	case <-late:
		l.told.Do(l.tell)
	case <-pipeline.From(ctx).Ending(): // the confirmation cannot come any more
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if l.session.Phase() == mcp.Closing {
		return nil, errShuttingDown
	}
	if before != nil {
		<-before // soon: all held calls go on now
	}
	pipeline.OnYield(ctx, gone)
	return next(ctx, m)
}

// enter makes a call the last held one: before is closed when the call ahead of it has gone on, nil
// if there is none; late is closed when it need not wait for the client; gone marks this call as gone on.
func (l *lifecycle) enter() (before, late <-chan struct{}, gone func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.late == nil {
		never := make(chan struct{})
		l.late = never
		time.AfterFunc(patience, func() { close(never) })
	}
	before, mine := l.last, make(chan struct{})
	l.last = mine
	return before, l.late, sync.OnceFunc(func() { close(mine) })
}

// tell logs that calls are served though the client has not confirmed the session.
func (l *lifecycle) tell() {
	if l.Log != nil {
		l.Log.Warn("the client has not sent notifications/initialized; its calls are served without it")
	}
}

// release waits until the held calls have gone on, so that later messages stay behind them.
func (l *lifecycle) release(ctx context.Context) {
	l.mu.Lock()
	last := l.last
	l.mu.Unlock()
	if last == nil || l.session.Phase() != mcp.Ready {
		return
	}
	defer pipeline.Waits(ctx)() // also for what the client does not read
	select {
	case <-last:
	case <-ctx.Done():
	}
}

// expire ends the pipeline after the grace period. The timer keeps nothing of one that has ended by itself.
func (l *lifecycle) expire(p *pipeline.Pipeline) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.grace == nil {
		running := weak.Make(p)
		l.grace = time.AfterFunc(l.Grace, func() {
			if p := running.Value(); p != nil {
				p.Stop(errNoExit)
			}
		})
	}
}

// exit ends the pipeline when the messages that were read are answered, however long that takes.
func (l *lifecycle) exit(p *pipeline.Pipeline) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.grace != nil {
		l.grace.Stop()
	}
	p.Finish()
}
