package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A served call is a call that a worker runs.
type served struct {
	worker  *Worker
	link    *link
	context context.Context // cancelled when the tool must end

	mu   sync.Mutex
	last int // number of the latest questions
	open map[int]chan answers
	back func() // takes back the slot, which is lent while any are open
}

// serve runs a call that this worker has taken, and gives its slot back.
func (w *Worker) serve(l *link, tool *handlers.Tool) {
	call, _, _ := strings.Cut(l.call, "-")
	row := w.calls.add(call, tool.Name)
	row.setPeer(l.name)
	defer w.calls.remove(row)
	var later []func()
	defer func() { // the replica has the result, and the slot is free
		for i := 0; i < len(later); i++ { // some add more of them
			w.run(tool, later[i])
		}
	}()
	defer w.release()
	defer w.unlink(l)
	ctx, cancel := context.WithCancelCause(w.context)
	defer cancel(nil)
	ctx, release := w.options.Host.Share(ctx)
	defer release()
	s := &served{worker: w, link: l, context: ctx, open: make(map[int]chan answers)}
	b, ok := s.begin()
	if !ok {
		return
	}
	var hearing sync.WaitGroup
	stop, stopped := context.WithCancel(ctx)
	hearing.Go(func() {
		if why := s.handle(stop); why != nil {
			cancel(why)
		}
	})
	c := s.call(b, tool)
	c.Later = func(f func()) { later = append(later, f) }
	result, err := s.run(c)
	stopped()
	hearing.Wait()
	s.finish(result, err)
}

// run runs the tool.
func (s *served) run(call handlers.ToolCall) (result *mcp.CallToolResult, err error) {
	defer caught(s.worker.Log, call.Tool.Name, &err)
	return s.worker.options.Host.Call(s.context, call)
}

// run runs what a tool has left for later.
func (w *Worker) run(tool *handlers.Tool, later func()) {
	var err error // is logged
	defer caught(w.Log, tool.Name, &err)
	later()
}

// caught is deferred, and turns a panic into an error, so that it ends one call and not all calls of the
// process.
func caught(log *slog.Logger, tool string, err *error) {
	if v := recover(); v != nil {
		log.Error("panic", "tool", tool, "panic", v, "stack", string(debug.Stack()))
		*err = fmt.Errorf("%w: panic", pipeline.ErrInternal)
	}
}

// errNoBegin is why a call ends whose begin message did not come.
var errNoBegin = errors.New("the replica did not send the call that the worker had taken")

// begin waits for the replica's begin message. Without it ok is false, and the replica has got an error,
// unless it has cancelled the call.
func (s *served) begin() (b begin, ok bool) {
	ctx, cancel := context.WithCancelCause(s.context)
	defer cancel(nil)
	late := time.AfterFunc(s.worker.Patience, func() {
		if !s.link.begun() { // else it is a long message, which may wait for memory
			cancel(errNoBegin)
		}
	})
	defer late.Stop()
	m, err := s.link.next(ctx)
	switch {
	case err != nil:
		s.finish(nil, err)
	case m.kind == kindCancel:
	case m.kind == kindBegin && json.Unmarshal(m.data, &b) == nil && mcp.Lookup(b.Revision) != nil:
		s.link.ack()
		return b, true
	default:
		s.finish(nil, errors.New("the worker cannot read the call"))
	}
	return b, false
}

// handle handles the replica's messages while the tool runs. It returns why the tool must end, nil when
// ctx has ended.
func (s *served) handle(ctx context.Context) error {
	for {
		m, err := s.link.next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			s.worker.Log.Warn("a call is ended, as its replica is gone", "replica", s.link.name, "error", err)
			return err
		}
		switch m.kind {
		case kindAnswer:
			var a answers
			if json.Unmarshal(m.data, &a) == nil {
				s.answered(a)
			}
		case kindCancel:
			var why failure
			_ = json.Unmarshal(m.data, &why) // the tool ends in any case
			return errors.New(why.Message)
		}
		s.link.ack()
	}
}

// call returns the call to run, with functions that reach the client through the replica.
func (s *served) call(b begin, tool *handlers.Tool) handlers.ToolCall {
	c := handlers.ToolCall{
		Call: handlers.ScriptClient{
			Args: b.Arguments, Meta: b.Meta, Patient: b.Patient, MissingCapability: b.Missing,
			Supports: func(name string) bool { return slices.Contains(b.Capabilities, name) },
			Progress: func(ctx context.Context, p mcp.ProgressParams) error {
				p.Meta = mcp.Trace{} // the replica adds it
				return s.link.send(ctx, kindProgress, p)
			},
			Log: func(ctx context.Context, p mcp.LogParams) error {
				p.Meta = mcp.Trace{}
				return s.link.send(ctx, kindLog, p)
			},
		},
		Tool: tool, Revision: mcp.Lookup(b.Revision), Folders: b.Folders,
	}
	if b.Timeout != 0 {
		limit := time.Duration(b.Timeout)
		c.Timeout = &limit
	}
	if b.Asks {
		c.Ask = s.ask
	}
	if b.AsksRoots {
		c.Roots = s.roots
	}
	return c
}

// finish sends the outcome of the call, and returns when the replica has it or is gone.
func (s *served) finish(result *mcp.CallToolResult, err error) {
	send := func(k kind, v any) error {
		limit := resultTime + s.worker.Patience
		ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(s.context), limit, errNotReceived)
		defer cancel()
		defer context.AfterFunc(s.worker.context, func() { time.AfterFunc(lastTime, cancel) })()
		if err := s.link.send(ctx, k, v); err != nil {
			return err
		}
		if err := s.link.drain(ctx); !errors.As(err, new(errEnded)) { // it may have ended as it has the outcome
			return err
		}
		return nil
	}
	if err == nil {
		if err = send(kindResult, result); err == nil {
			return
		}
		err = fmt.Errorf("%w: the result of the tool: %w", pipeline.ErrInternal, err)
	}
	if err := send(kindFailed, pipeline.WireError(err)); err != nil {
		s.worker.Log.Warn("a replica does not learn how its call has ended", "replica", s.link.name, "error", err)
	}
}

const (
	// resultTime is how long a replica that is there may take to receive a result, lastTime how long when the grace of
	// a worker is over.
	resultTime = 30 * time.Second
	lastTime   = 3 * time.Second
)

var errNotReceived = errors.New("the replica has not received it in time")

// ask asks the client of the call. Meanwhile the call's slot is free for others.
func (s *served) ask(ctx context.Context, all ...sdk.Question) []sdk.Answer {
	q := questions{}
	for _, one := range all {
		q.Questions = append(q.Questions, question(one))
	}
	made := make([]sdk.Answer, len(all))
	given, err := s.put(ctx, q)
	for i := range made {
		switch {
		case err != nil:
			made[i].Err = err
		case i >= len(given.Answers):
			made[i].Err = sdk.ErrUnsupported
		case given.Answers[i].Unsupported:
			made[i].Err = unsupported(given.Answers[i].Error)
		case given.Answers[i].Error != "":
			made[i].Err = errors.New(given.Answers[i].Error)
		default:
			made[i].Result = given.Answers[i].Result
		}
	}
	return made
}

// unsupported is an [sdk.ErrUnsupported] with the text of the replica's error.
type unsupported string

func (e unsupported) Error() string { return string(e) }
func (unsupported) Unwrap() error   { return sdk.ErrUnsupported }

// roots asks the client for its folders.
func (s *served) roots(ctx context.Context) ([]string, error) {
	given, err := s.put(ctx, questions{})
	if err == nil && given.Error != "" {
		err = errors.New(given.Error)
	}
	return given.Folders, err
}

// put sends questions and returns their answers.
func (s *served) put(ctx context.Context, q questions) (answers, error) {
	came := make(chan answers, 1)
	q.Number = s.opens(came)
	defer s.closes(q.Number)
	if err := s.link.send(ctx, kindAsk, q); err != nil {
		return answers{}, err
	}
	select {
	case a := <-came:
		return a, nil
	case <-ctx.Done():
		if s.context.Err() == nil {
			_ = s.link.send(s.context, kindDismiss, questions{Number: q.Number}) // a link that is broken ends the call
		}
		return answers{}, context.Cause(ctx)
	}
}

// opens numbers questions, whose answers go to came. With the first open questions the call lends its
// slot.
func (s *served) opens(came chan answers) (number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == 0 {
		s.back = s.worker.lend()
	}
	s.last++
	s.open[s.last] = came
	return s.last
}

// closes removes questions. After the last open ones the call takes back its slot.
func (s *served) closes(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.open, number); len(s.open) == 0 {
		s.back()
	}
}

// answered accepts answers. Those that are not awaited, and repeated ones, are dropped.
func (s *served) answered(a answers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.open[a.Number] <- a: // a nil channel never receives
	default:
	}
}

// lend frees the slot of a call for another one until the returned function is called. At most as many
// calls as there are slots lend theirs at a time, so a worker has at most twice as many calls as slots.
func (w *Worker) lend() (back func()) {
	lent := 0
	w.adjust(func() {
		if w.asking < w.options.Slots {
			lent = 1
		}
		w.asking += lent
		w.busy -= lent
	})
	return func() { w.adjust(func() { w.asking -= lent; w.busy += lent }) }
}
