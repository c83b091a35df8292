package wrap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/behind"
)

// startsPerMinute is how often a program is started in a minute: one that dies at each call is not started for each.
const startsPerMinute = 5

// lives are those of the program while its client stays: one, or with Restart one after the other. A call that comes
// when the program has ended starts the next, which gets the handshake of the client again before that call.
type lives struct {
	Server
	ctx     context.Context
	relay   *pipeline.Pipeline
	now     atomic.Pointer[life]
	turn    chan struct{} // has a value while somebody passes a message on; those who wait do so in order
	starts  *limit.Minute
	leaving chan struct{} // closed when the client has left
	running sync.WaitGroup
	why     error // why the program has ended, if that ends all; read when none is running

	mu          sync.Mutex
	hello       *pipeline.Message // initialize, once it was answered
	welcome     *pipeline.Message // its answer
	initialized *pipeline.Message // the notification that follows, maybe before the answer
}

// start begins the next life.
func (l *lives) start() error {
	next, err := l.begin(l.ctx, l.gone)
	if err != nil {
		return err
	}
	l.now.Store(next)
	l.running.Go(func() {
		defer next.out.Close()
		defer next.end()
		_ = next.server.Run(l.ctx, l.relay)
	})
	return nil
}

// gone returns why a life has ended, before the next can begin.
func (l *lives) gone(life *life) error {
	why := life.why(l.Restart)
	select {
	case <-l.leaving:
	case <-l.ctx.Done():
	default:
		if l.Restart && errors.As(why, new(Ended)) {
			l.Log.Warn(why.Error())
			life.server.Withdraw(l.ctx, l.relay)
			return why
		}
		l.why = why
	}
	l.relay.Finish()
	return why
}

// answered is the inbound door for the client's answers to the program.
func (l *lives) answered(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
	return l.now.Load().answers(ctx, m, next)
}

// handle is the handler of the pipeline.
func (l *lives) handle(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	if !l.Restart {
		return l.now.Load().server.Handle(ctx, m)
	}
	answer, err := l.pass(ctx, m)
	if answer == nil {
		return nil, err
	}
	response, err := answer()
	if m.Method() == "initialize" && err == nil && response.Fault() == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.hello, l.welcome = m, response
	}
	return response, err
}

// pass writes a message to the program, behind those that came before, and returns what waits for the answer to a call.
// A call that finds the program ended starts it.
func (l *lives) pass(ctx context.Context, m *pipeline.Message) (answer func() (*pipeline.Message, error), err error) {
	defer pipeline.YieldAfter(ctx, behind.Patience)()
	var gaveUp <-chan struct{}
	if m.Kind() != pipeline.Call {
		gaveUp = l.relay.Ending() // it waits for a start no longer than its client does
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-gaveUp:
		return nil, behind.ErrGone
	}
	defer func() { <-l.turn }()
	if m.Kind() != pipeline.Call {
		return nil, l.tell(ctx, m)
	}
	for range 2 {
		life := l.now.Load()
		select {
		case <-life.server.Gone():
			if life, err = l.again(life, m); err != nil {
				return nil, err
			}
		default:
		}
		select {
		case <-life.ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if life.failed != nil {
			return nil, life.failed
		}
		if answer, err = life.server.Pass(ctx, m); !errors.Is(err, behind.ErrGone) {
			break // else it has ended meanwhile
		}
	}
	return answer, err
}

// tell writes a notification to the program. One that has ended has nothing that it could be about.
func (l *lives) tell(ctx context.Context, m *pipeline.Message) error {
	if m.Method() == "notifications/initialized" {
		l.mu.Lock()
		l.initialized = m
		l.mu.Unlock()
	}
	life := l.now.Load()
	select {
	case <-life.ready:
		_, err := life.server.Pass(ctx, m)
		return err
	default:
		return nil
	}
}

// again starts the program again, for a call.
func (l *lives) again(before *life, m *pipeline.Message) (*life, error) {
	<-before.done // its files and ports are free
	if !l.starts.Allow() {
		return nil, fmt.Errorf("%w; it was started %d times within a minute, wait before the next call",
			before.why(false), startsPerMinute)
	}
	if err := l.start(); err != nil {
		return nil, err
	}
	life := l.now.Load()
	l.Log.Info("the server is started again", "for", m.Method())
	l.running.Go(func() {
		defer close(life.ready)
		if m.Method() == "initialize" {
			return
		}
		if life.failed = l.greet(life); life.failed != nil {
			life.kill()
		}
	})
	return life, nil
}

// greet repeats the handshake of the client.
func (l *lives) greet(life *life) error {
	l.mu.Lock()
	hello, welcome, initialized := l.hello, l.welcome, l.initialized
	l.mu.Unlock()
	if hello == nil {
		return nil // a revision without sessions
	}
	answer, err := life.server.Handle(l.ctx, hello)
	switch {
	case err != nil:
		return err
	case answer.Fault() != nil:
		return fmt.Errorf("the server was started again, and refuses initialize: %s", answer.Fault().Message)
	case !bytes.Equal(revision(answer), revision(welcome)):
		return fmt.Errorf("the server was started again, and now speaks revision %s instead of %s: connect to it anew",
			revision(answer), revision(welcome))
	case !bytes.Equal(answer.Result(), welcome.Result()):
		l.Log.Warn("the server describes itself otherwise than before it was started again")
	}
	if initialized != nil {
		_, err = life.server.Pass(l.ctx, initialized)
	}
	return err
}

func revision(welcome *pipeline.Message) []byte {
	return pipeline.Member(welcome.Result(), "protocolVersion")
}
