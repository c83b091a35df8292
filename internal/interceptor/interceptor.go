// Package interceptor is middleware in the form of the coming standard of MCP: validators say yes or no to a
// message, mutators give back another one. They are jq expressions, scripts, Go functions, or those of other
// servers; a [Set] of them is what messages pass.
//
// Every way to fail ends the same: an interceptor that is late, breaks, or answers with something else than a result
// has failed, and then the message is refused, unless the interceptor has failOpen or only audits.
package interceptor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// DefaultTimeout is how long an interceptor may take that does not say.
const DefaultTimeout = 5 * time.Second

// A Func answers a question. It has failed when it returns an error, or when ctx ends first.
type Func func(ctx context.Context, q Question) (Result, error)

// An Interceptor is one rule. It is shared by all messages and does not change.
type Interceptor struct {
	Definition
	Config  json.RawMessage // given to it with each question that has none
	Timeout time.Duration   // 0: DefaultTimeout
	AsError bool            // a call of a tool that it refuses is answered with an error, not with a result
	Slow    bool            // it waits for a process
	Answer  Func
}

// Check returns why the hook cannot apply to anything, nil if it can.
func (h Hook) Check() error {
	if len(h.Events) == 0 {
		return errors.New("a hook has no events")
	}
	if h.Phase != Request && h.Phase != Response && h.Phase != Both {
		return fmt.Errorf("the phase of a hook is %q, not %s, %s or %s", h.Phase, Request, Response, Both)
	}
	for _, event := range h.Events {
		if _, err := path.Match(event, ""); err != nil || event == "" {
			return fmt.Errorf("%q is not the name of a method, nor a pattern such as tools/*", event)
		}
	}
	return nil
}

// hooked reports whether a message with an event and a phase concerns the interceptor.
func (d *Definition) hooked(event, phase string) bool {
	return slices.ContainsFunc(d.Hooks, func(h Hook) bool {
		return (h.Phase == phase || h.Phase == Both) && slices.ContainsFunc(h.Events, func(pattern string) bool {
			switch pattern {
			case "*", event:
				return true
			case "*/" + Request, "*/" + Response:
				return pattern == "*/"+phase
			}
			matches, _ := path.Match(pattern, event)
			return matches
		})
	})
}

// Ask puts a question and returns a complete result. The error is a *jsonrpc2.Error.
func (i *Interceptor) Ask(ctx context.Context, q Question) (r Result, err error) {
	began, limit := time.Now(), i.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	if asked := time.Duration(q.TimeoutMS) * time.Millisecond; asked > 0 {
		limit = min(limit, asked)
	}
	q.Name, q.TimeoutMS = i.Name, int(limit.Milliseconds())
	if q.Config == nil {
		q.Config = i.Config
	}
	if q.Payload == nil {
		q.Payload = json.RawMessage("{}")
	}
	inTime, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("it panicked: %v", p)
			}
		}()
		r, err = i.Answer(inTime, q)
	}()
	var theirs *jsonrpc2.Error
	switch {
	case ctx.Err() != nil:
		return r, failed(i.Name, context.Cause(ctx))
	case inTime.Err() != nil:
		return r, tooLate(i.Name, q.Phase, limit.Milliseconds())
	case errors.As(err, &theirs):
		return r, theirs
	case err == nil:
		err = i.complete(&r, q)
	}
	if err != nil {
		return r, failed(i.Name, err)
	}
	r.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	return r, nil
}

// complete fills in what every result has, and returns an error if it is not the result of such an interceptor.
func (i *Interceptor) complete(r *Result, q Question) error {
	r.Interceptor, r.Type, r.Phase = i.Name, i.Type, q.Phase
	switch {
	case i.Type == Validation && r.Valid == nil:
		return errors.New("its answer has no valid, which says true or false")
	case i.Type == Validation && *r.Valid:
		r.Modified, r.Payload = nil, nil
		if r.Severity == SeverityError {
			return errors.New("its answer is valid and an error")
		}
		r.Severity = ""
	case i.Type == Validation:
		r.Modified, r.Payload = nil, nil
		if r.Severity != "warn" && r.Severity != "info" {
			r.Severity = SeverityError
		}
		if i.Description != "" && !slices.ContainsFunc(r.Messages, func(n Note) bool { return n.Message != "" }) {
			r.Messages = append(r.Messages, Note{Message: i.Description, Severity: r.Severity})
		}
	case r.Modified == nil:
		return errors.New("its answer has no modified, which says true or false")
	case !*r.Modified:
		r.Payload = q.Payload
	case !json.Valid(r.Payload) || string(r.Payload) == "null":
		return errors.New("its answer has no payload")
	}
	return nil
}

// reason is what a validator objects to.
func (r Result) reason() string {
	for _, n := range r.Messages {
		if n.Message != "" {
			return strings.Join(strings.Fields(n.Message), " ")
		}
	}
	return "the message is not valid"
}
