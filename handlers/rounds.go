package handlers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/round"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// Rounds serve calls of stateless revisions whose script asks its client
// something: the call is answered by the questions, the client calls again with
// the answers, and the script goes on. They may be used by several goroutines.
type Rounds struct {
	// Context is that of all runs, which outlive their requests.
	Context context.Context
	Box     func() *round.Box
	Keeper  *round.Keeper
	// TTL is how long a client may take to call again.
	TTL time.Duration
	// Tasks takes over what takes long; nil: nobody does.
	Tasks *Tasks
	Log   *slog.Logger

	used round.Used
}

// maxRounds is how often one call may ask (MR-12).
const maxRounds = 32

// maxGiven is how many bytes of answers travel with the client of a run that is
// kept. With more, a run that is gone asks again.
const maxGiven = 64 << 10

// A roundCall is a call that may take several rounds.
type roundCall struct {
	method, name string
	arguments    json.RawMessage // nil for none
	retry        mcp.RetryParams
	alone        bool // a run that waits holds up others: it is not kept
	task         mcp.TaskSupport
	token        json.RawMessage // for progress; nil for none
	trace        mcp.Trace
}

// A state travels with the client, sealed (MR-05, MR-06).
type state struct {
	Run     string                 `json:"r"` // which run it is of
	Nonce   string                 `json:"n"` // for use once
	Binding string                 `json:"b"` // to the method and its params
	Expires int64                  `json:"e"` // in milliseconds since 1970
	Round   int                    `json:"c"`
	Asked   map[string]string      `json:"q"` // what the questions were, by key
	Given   map[string]round.Given `json:"g,omitempty"`
}

// Do serves one round of a call: it returns the result of the run, or an
// [mcp.InputRequiredResult].
func (r *Rounds) Do(ctx context.Context, c roundCall, run func(context.Context, *round.Conversation) (mcp.Enveloped, error)) (mcp.Enveloped, error) {
	s, responses, err := r.resume(c)
	if err != nil {
		return nil, err
	}
	request := round.Request{Context: ctx, Client: client{mcp.ClaimOf(ctx)}, Token: c.token}
	conversation := r.Keeper.Take(s.Run)
	if conversation != nil {
		conversation.Resume(request, responses)
		return r.serve(ctx, c, s, conversation)
	}
	for key, digest := range s.Asked { // by the answers that came, though nobody waits for them
		if answer := responses[key]; answer != nil {
			s.Given[key] = round.Given{Digest: digest, Result: answer}
		}
	}
	s.Run = rand.Text()
	conversation = round.Start(r.Context, request, s.Given, func(ctx context.Context, on *round.Conversation) (result any, err error) {
		defer func() { // no stage stands around it
			if v := recover(); v != nil {
				r.Log.Error("panic", "method", c.method, "name", c.name, "panic", v, "stack", string(debug.Stack()))
				err = fmt.Errorf("%w: panic", pipeline.ErrInternal)
			}
		}()
		return run(ctx, on)
	})
	return r.serve(ctx, c, s, conversation)
}

// serve waits until the run of a call has ended, or asks, or is to go on as a
// task.
func (r *Rounds) serve(ctx context.Context, c roundCall, s *state, conversation *round.Conversation) (mcp.Enveloped, error) {
	patience, cancel := r.patience(ctx, c)
	defer cancel()
	for {
		if conversation.Wait(patience) {
			return outcome(conversation)
		}
		if ctx.Err() != nil {
			conversation.End(context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
		if open := conversation.Open(); len(open) > 0 { // none if the script has given up by now
			conversation.Detach() // what it says from now on belongs to no request
			return r.ask(c, s, conversation, open)
		}
		if patience.Err() != nil { // with no question left (MR-17)
			conversation.Detach() // TX-16
			return r.Tasks.adopt(conversation), nil
		}
	}
}

// ask answers a call by the questions of its run, and keeps the run.
func (r *Rounds) ask(c roundCall, s *state, conversation *round.Conversation, open []round.Open) (mcp.Enveloped, error) {
	s.Round++
	if s.Round > maxRounds {
		conversation.End(round.ErrForgotten)
		return nil, fmt.Errorf("%w: the script has asked %d times", pipeline.ErrInternal, maxRounds)
	}
	sealed, err := r.seal(c, s, conversation.Given(), open)
	if err != nil {
		conversation.End(err)
		return nil, err
	}
	if r.keeps(c) {
		r.Keeper.Keep(s.Run, conversation)
	} else {
		conversation.End(round.ErrForgotten)
	}
	result := &mcp.InputRequiredResult{InputRequests: requests(open, c.trace), RequestState: sealed}
	result.ResultType = mcp.InputRequired
	return result, nil
}

// keeps reports whether the run of a call is kept while its client thinks.
func (r *Rounds) keeps(c roundCall) bool { return !c.alone && r.Keeper.Keeps() }

// patience returns the context of a wait: it ends with ctx, or when the call is
// to go on as a task.
func (r *Rounds) patience(ctx context.Context, c roundCall) (context.Context, context.CancelFunc) {
	if after, ok := r.Tasks.takes(ctx, c.task); ok {
		return context.WithTimeout(ctx, after)
	}
	return ctx, func() {}
}

// outcome is what the run of a conversation that has ended returned.
func outcome(c *round.Conversation) (mcp.Enveloped, error) {
	result, err := c.Result()
	if err != nil {
		return nil, err
	}
	return result.(mcp.Enveloped), nil
}

// requests are questions as the client reads them.
func requests(open []round.Open, trace mcp.Trace) map[string]mcp.InputRequest {
	all := make(map[string]mcp.InputRequest, len(open))
	for _, q := range open {
		all[q.Key] = mcp.InputRequest{Method: q.Method, Params: trace.On(q.Params)}
	}
	return all
}

// seal makes the state that goes with questions.
func (r *Rounds) seal(c roundCall, s *state, given map[string]round.Given, open []round.Open) (string, error) {
	s.Nonce = rand.Text()
	s.Binding = binding(c)
	s.Expires = time.Now().Add(r.TTL).UnixMilli()
	s.Asked = make(map[string]string, len(open))
	for _, q := range open {
		s.Asked[q.Key] = q.Digest
	}
	s.Given = given
	size := 0
	for _, g := range given {
		size += len(g.Result)
	}
	if size > maxGiven && r.keeps(c) {
		s.Given = nil
	}
	return r.Box().Seal(s)
}

// Close ends all runs that nobody waits for and returns when they have ended.
func (r *Rounds) Close() {
	r.Keeper.Close()
	r.Tasks.Close()
}

// resume reads what a call brings from an earlier round. Without a state it is
// the first one, whatever answers it has.
func (r *Rounds) resume(c roundCall) (*state, map[string]json.RawMessage, error) {
	responses, err := responsesOf(c.retry.InputResponses)
	if err != nil {
		return nil, nil, err
	}
	s := &state{}
	sealed := c.retry.RequestState
	if k := jsontext.Value(sealed).Kind(); sealed == nil || k == 'n' {
		return s, nil, nil
	} else if k != '"' {
		return nil, nil, fmt.Errorf("%w: /requestState must be a string", pipeline.ErrInvalidParams)
	}
	var text string
	if err := jsonv2.Unmarshal(sealed, &text); err != nil {
		return nil, nil, refusedState(err)
	}
	switch err := r.Box().Open(text, s); {
	case err != nil:
		return nil, nil, refusedState(err)
	case s.Binding != binding(c):
		return nil, nil, refusedState(errors.New("it belongs to a call with another name or other arguments"))
	case time.Now().UnixMilli() >= s.Expires:
		return nil, nil, refusedState(errors.New("it has expired"))
	case !r.used.First(s.Nonce, time.UnixMilli(s.Expires)):
		return nil, nil, refusedState(errors.New("it was used before"))
	}
	if s.Given == nil {
		s.Given = make(map[string]round.Given)
	}
	return s, responses, nil
}

// refusedState is the error for a state that is not, or no longer, valid.
func refusedState(why error) error {
	return fmt.Errorf("%w: /requestState: %w; call again without it", pipeline.ErrInvalidParams, why)
}

// responsesOf reads the answers of a client (MR-11).
func responsesOf(raw json.RawMessage) (map[string]json.RawMessage, error) {
	if raw = present(raw); raw == nil {
		return nil, nil
	}
	var all map[string]jsontext.Value
	if jsontext.Value(raw).Kind() != '{' || jsonv2.Unmarshal(raw, &all, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, fmt.Errorf("%w: /inputResponses must be an object", pipeline.ErrInvalidParams)
	}
	responses := make(map[string]json.RawMessage, len(all))
	for key, v := range all {
		if v.Kind() != '{' {
			return nil, fmt.Errorf("%w: /inputResponses/%s must be an object", pipeline.ErrInvalidParams, key)
		}
		responses[key] = json.RawMessage(v)
	}
	return responses, nil
}

// binding is the same for calls that are the same: the method, the name and the
// arguments, however they are written.
func binding(c roundCall) string {
	arguments := jsontext.Value(c.arguments).Clone()
	switch {
	case arguments == nil:
		arguments = jsontext.Value("{}")
	case arguments.Canonicalize() != nil:
		arguments = jsontext.Value(c.arguments)
	}
	sum := sha256.Sum256([]byte(c.method + "\x00" + c.name + "\x00" + string(arguments)))
	return hex.EncodeToString(sum[:])
}
