package handlers

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Rounds serves calls of stateless revisions whose script asks its client something: the call is
// answered with the questions, the client calls again with the answers, and the script continues.
// It may be used by several goroutines.
type Rounds struct {
	// Context is the parent of all runs, which outlive their requests.
	Context context.Context
	Box     func() *StateBox
	Keeper  *RunKeeper
	// TTL is how long a client may take to call again.
	TTL time.Duration
	// Tasks takes over calls that take long; nil: none.
	Tasks *Tasks
	// Project identifies the project of a state, besides its call: the servers of one user share a
	// key, and their projects may have tools of the same name. Its path will do.
	Project string
	// Cluster remembers which states were used.
	Cluster Cluster
	Log     *slog.Logger
}

// maxRounds is how often one call may ask (MR-12).
const maxRounds = 32

// A roundCall is a call that may take several rounds.
type roundCall struct {
	caller       string // the ID of an [mcp.Caller]
	method, name string
	arguments    json.RawMessage // nil for none
	retry        mcp.RetryParams
	allowed      func(context.Context) error // why it may not be served now; nil: it may
	elsewhere    bool                        // its run needs no slot
	gates        *Gates
	concurrency  int // how many may run at once; 0: any number
	task         mcp.TaskSupport
	token        json.RawMessage // for progress; nil for none
	trace        mcp.Trace
}

// begin waits until a call may run: for its gate, then for a slot, which is free again after done, and then it
// asks whether the call is allowed.
func (c roundCall) begin(ctx context.Context, wait func(context.Context) error) (done func(), err error) {
	if done, err = pipeline.WorkAfter(ctx, wait); err != nil || c.allowed == nil {
		return done, err
	}
	if err = c.allowed(ctx); err != nil {
		done()
	}
	return done, err
}

// do serves a call: in a session it is the run, with a client that can be asked meanwhile; otherwise it is one
// round of the run, whose questions become the answer.
func (r *Rounds) do(ctx context.Context, terms mcp.Terms, c roundCall,
	run func(context.Context, dialog) (mcp.Enveloped, error)) (mcp.Enveloped, error) {
	if terms.Revision().Stateless {
		return r.oneRound(ctx, c, run)
	}
	place := c.gates.enter(c.name, c.concurrency)
	defer place.leave()
	done, err := c.begin(ctx, place.wait())
	if err != nil {
		return nil, err
	}
	defer done()
	if c.elsewhere {
		done()
	}
	return run(ctx, session{client{terms}, round.Request{Context: ctx, Token: c.token}, c.trace})
}

// oneRound serves one round of a call: it returns the result of the run, or an [mcp.InputRequiredResult].
// Errors in what the client sent are returned in the turn of its message. Each round takes a slot
// of its own, so a run holds none while its client thinks; its gate it holds until it ends.
func (r *Rounds) oneRound(
	ctx context.Context, c roundCall, run func(context.Context, dialog) (mcp.Enveloped, error),
) (mcp.Enveloped, error) {
	if err := r.Tasks.requires(ctx, c.task); err != nil {
		return nil, err
	}
	s, responses, err := r.resume(c)
	if err != nil {
		return nil, err
	}
	place := c.gates.enter(c.name, c.concurrency)
	began := false
	defer func() {
		if !began {
			place.leave()
		}
	}()
	wait := place.wait()
	if _, task := r.Tasks.takes(ctx, c.task); task && c.task == mcp.TaskRequired {
		wait = nil // the task waits, and its client need not
	}
	done, err := c.begin(ctx, wait)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := r.use(ctx, s); err != nil {
		return nil, err
	}
	if c.elsewhere {
		done()
	}
	request := round.Request{Context: ctx, Client: client{mcp.ClaimOf(ctx)}, Token: c.token}
	if conversation := r.Keeper.Take(s.Run); conversation != nil {
		conversation.Resume(request, responses)
		return r.serve(ctx, c, s, conversation)
	}
	r.moved(s.Run)
	for key, answer := range responses { // though nobody waits for them
		if digest, asked := s.Asked[key]; asked || s.Asked == nil {
			s.Given[key] = round.Given{Digest: digest, Result: answer}
		}
	}
	s.Run = rand.Text()
	began = true
	return r.serve(ctx, c, s, round.Start(pipeline.WithNotes(r.Context, ctx), request, s.Given,
		func(ctx context.Context, on *round.Conversation) (result any, err error) {
			defer place.leave()
			defer func() { // no stage recovers panics here
				if v := recover(); v != nil {
					r.Log.Error("panic", "method", c.method, "name", c.name, "panic", v, "stack", string(debug.Stack()))
					err = fmt.Errorf("%w: panic", pipeline.ErrInternal)
				}
			}()
			if wait := place.wait(); wait != nil {
				if err := wait(ctx); err != nil {
					return nil, err
				}
			}
			return run(ctx, on)
		}))
}

// serve waits until the run of a call has ended, or asks a question, or is to continue as a task.
func (r *Rounds) serve(
	ctx context.Context, c roundCall, s *state, conversation *round.Conversation,
) (mcp.Enveloped, error) {
	after, task := r.Tasks.takes(ctx, c.task)
	patience := ctx
	if task {
		var cancel context.CancelFunc
		patience, cancel = context.WithTimeout(ctx, after)
		defer cancel()
	}
	for {
		if conversation.Wait(patience) {
			if task && c.task == mcp.TaskRequired {
				if born := r.Tasks.adopt(ctx, c.name, conversation); born != nil {
					return born, nil
				}
			}
			return outcome(conversation)
		}
		if ctx.Err() != nil {
			conversation.End(context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
		if open := conversation.Open(); len(open) > 0 { // none if the script has given up by now
			conversation.Detach() // from now on its output belongs to no request
			return r.ask(ctx, c, s, conversation, open)
		}
		if patience.Err() != nil { // with no question left (MR-17)
			if born := r.Tasks.adopt(ctx, c.name, conversation); born != nil {
				return born, nil
			}
			patience, task = ctx, false
		}
	}
}

// ask answers a call with the questions of its run, and keeps the run.
func (r *Rounds) ask(
	ctx context.Context, c roundCall, s *state, conversation *round.Conversation, open []round.Open,
) (mcp.Enveloped, error) {
	s.Round++
	if s.Round > maxRounds {
		conversation.End(round.ErrForgotten)
		return nil, fmt.Errorf("%w: the script has asked %d times, which is the limit", pipeline.ErrInternal, maxRounds)
	}
	sealed, err := r.seal(c, s, conversation.Given(), open)
	if err != nil {
		conversation.End(err)
		return nil, err
	}
	if r.keeps(c) {
		r.Keeper.Keep(s.Run, conversation)
		ifHeldBack(ctx, func() { r.Keeper.Drop(s.Run) }) // nobody has its state
	} else {
		conversation.End(round.ErrForgotten)
	}
	result := &mcp.InputRequiredResult{InputRequests: requests(open, c.trace), RequestState: sealed}
	result.ResultType = mcp.InputRequired
	return result, nil
}

// ifHeldBack calls f if the client cancels the call of ctx before its answer has left, which then never
// does.
func ifHeldBack(ctx context.Context, f func()) {
	pipeline.Afterwards(ctx, func(context.Context) {
		if cause := context.Cause(ctx); cause != nil && cause != context.Canceled {
			f()
		}
	})
}

// keeps reports whether the run of a call is kept while its client thinks. A run that holds up
// others at its gate is not.
func (r *Rounds) keeps(c roundCall) bool { return c.concurrency == 0 && r.Keeper.Keeps() }

// outcome returns the result of the run of a conversation that has ended.
func outcome(c *round.Conversation) (mcp.Enveloped, error) {
	result, err := c.Result()
	if err != nil {
		return nil, err
	}
	return result.(mcp.Enveloped), nil
}

// requests returns questions as the client reads them.
func requests(open []round.Open, trace mcp.Trace) map[string]mcp.InputRequest {
	all := make(map[string]mcp.InputRequest, len(open))
	for _, q := range open {
		all[q.Key] = mcp.InputRequest{Method: q.Method, Params: trace.On(q.Params)}
	}
	return all
}

// Close ends all runs that no request waits for and returns when they have ended.
func (r *Rounds) Close() {
	r.Keeper.Close()
	r.Tasks.Close()
}

// Working reports whether a run is at work whose call has been answered: as a task, or while its
// client thinks.
func (r *Rounds) Working() bool { return r.Keeper.Working() || r.Tasks.Working() }
