package interceptor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Set is interceptors that messages pass. It does not change, and may be used by several goroutines. A nil Set lets
// everything pass.
type Set struct {
	// All are in the order of registration.
	All []*Interceptor
	// Tell is called for what happened to a message, also by several goroutines; nil: by nobody.
	Tell func(Told)
	// Background runs what no message waits for: interceptors that only audit. nil: messages wait.
	Background func(func())
}

// Told is what one interceptor did to a message.
type Told struct {
	Name, Event, Phase string
	What               What
	Audit              bool   // and it had no effect
	Reason             string // why it was refused, or what failed
	Before, After      json.RawMessage
}

// What an interceptor may do to a message.
type What string

// The values of What.
const (
	Refused What = "refused"
	Changed What = "changed"
	Warned  What = "warned" // a validator objected, but not with an error
	Failed  What = "failed"
)

// A Refusal is the error of a message that may not pass.
type Refusal struct {
	Wire    *jsonrpc2.Error
	Name    string // of the interceptor
	AsError bool   // the answer is this error whatever the method
}

func (r *Refusal) Error() string { return r.Wire.Message }
func (r *Refusal) Unwrap() error { return r.Wire }

// A Direction is that of a message as seen from here. What comes in crosses a boundary of trust, so it is validated
// before it is changed; what goes out is validated as it leaves.
type Direction bool

// The directions.
const (
	Receiving Direction = false // validate, then mutate
	Sending   Direction = true  // mutate, then validate
)

// Hooks reports whether an interceptor wants to see messages with an event and a phase, and whether one of them is
// slow.
func (s *Set) Hooks(event, phase string) (some, slow bool) {
	if s == nil {
		return false, false
	}
	for _, i := range s.All {
		if i.hooked(event, phase) {
			some, slow = true, slow || i.Slow && i.Mode != Audit
		}
	}
	return some, slow
}

// Pass takes a message past all interceptors that it concerns, and returns its payload as it goes on. The error is a
// *Refusal.
func (s *Set) Pass(ctx context.Context, d Direction, q Question) (json.RawMessage, error) {
	q = q.about(q.Payload)
	var validators, mutators []*Interceptor
	for _, i := range s.All {
		switch {
		case !i.hooked(q.Event, q.Phase):
		case i.Mode == Audit && s.Background != nil:
			asked := q // as the message is now: its payload may be another one before it is asked
			s.Background(func() { s.audit(context.WithoutCancel(ctx), i, asked) })
		case i.Mode == Audit:
			s.audit(ctx, i, q)
		case i.Type == Validation:
			validators = append(validators, i)
		default:
			mutators = append(mutators, i)
		}
	}
	slices.SortStableFunc(mutators, func(a, b *Interceptor) int {
		return cmp.Or(cmp.Compare(a.Priority.of(q.Phase), b.Priority.of(q.Phase)), cmp.Compare(a.Name, b.Name))
	})
	var err error
	if d == Receiving {
		err = s.validate(ctx, validators, q)
	}
	if err == nil {
		q, err = s.mutate(ctx, mutators, q)
	}
	if err == nil && d == Sending {
		err = s.validate(ctx, validators, q)
	}
	return q.Payload, err
}

func (p Priority) of(phase string) int32 {
	if phase == Request {
		return p.Request
	}
	return p.Response
}

// validate asks all validators, those that are slow at the same time, and waits for all of them.
func (s *Set) validate(ctx context.Context, all []*Interceptor, q Question) error {
	results, errs := make([]Result, len(all)), make([]error, len(all))
	var group sync.WaitGroup
	for n, i := range all {
		ask := func() { results[n], errs[n] = i.Ask(ctx, q) }
		if i.Slow && len(all) > 1 {
			group.Go(ask)
		} else {
			ask()
		}
	}
	group.Wait()
	var objections []objection
	var refusal *Refusal
	for n, i := range all {
		err := errs[n]
		switch told := s.told(ctx, i, q, results[n], err); {
		case told.What == Failed && !i.FailOpen:
			refusal = cmp.Or(refusal, &Refusal{Wire: errorOf(err), Name: i.Name, AsError: i.AsError})
			objections = append(objections, objection{i.Name, SeverityError, told.Reason})
		case told.What == Refused:
			refusal = cmp.Or(refusal, &Refusal{Name: i.Name, AsError: i.AsError})
			objections = append(objections, objection{i.Name, SeverityError, told.Reason})
		}
	}
	if refusal == nil {
		return nil
	}
	if refusal.Wire == nil || len(objections) > 1 {
		refusal.Wire = refused(objections)
	}
	return refusal
}

// mutate asks the mutators one after the other, and returns the question about what they have made. It is q if one
// fails.
func (s *Set) mutate(ctx context.Context, all []*Interceptor, q Question) (Question, error) {
	before := q
	for _, i := range all {
		r, err := i.Ask(ctx, q)
		s.told(ctx, i, q, r, err)
		switch {
		case err == nil && *r.Modified:
			q = q.about(r.Payload)
		case err != nil && !i.FailOpen:
			return before, &Refusal{Wire: mutationFailed(i.Name, err), Name: i.Name, AsError: i.AsError}
		}
	}
	return q, nil
}

func (s *Set) audit(ctx context.Context, i *Interceptor, q Question) {
	r, err := i.Ask(ctx, q)
	s.told(ctx, i, q, r, err)
}

// told reports what a result means, and returns it; the zero What is nothing.
func (s *Set) told(ctx context.Context, i *Interceptor, q Question, r Result, err error) Told {
	t := Told{Name: i.Name, Event: q.Event, Phase: q.Phase, Audit: i.Mode == Audit}
	switch {
	case err != nil:
		t.What, t.Reason = Failed, errorOf(err).Message
	case r.Valid != nil && !*r.Valid && r.Severity == SeverityError:
		t.What, t.Reason = Refused, r.reason()
	case r.Valid != nil && !*r.Valid:
		t.What, t.Reason = Warned, r.reason()
	case r.Modified != nil && *r.Modified && !bytes.Equal(q.Payload, r.Payload):
		t.What, t.Before, t.After = Changed, q.Payload, r.Payload
	}
	if t.What != "" && !t.Audit { // which may be later than its message
		pipeline.Note(ctx, string(t.What), i.Name)
	}
	if t.What != "" && s.Tell != nil {
		s.Tell(t)
	}
	return t
}

func errorOf(err error) *jsonrpc2.Error {
	var e *jsonrpc2.Error
	errors.As(err, &e) // as Ask returns it
	return e
}
