package interceptor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	ourjson "github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Without a session a server asks its client in the result of a call, and the client answers in the params of the next
// one. Rules see these questions and answers as they do those of a session.
const (
	inputRequests  = "inputRequests"
	inputResponses = "inputResponses"
)

// eventsOf returns what a client's answer may answer. The call that asked is over, but answers have different shapes.
// One that has several passes the rules for each.
func eventsOf(answer json.RawMessage) (events []string) {
	if pipeline.Member(answer, "roots") != nil {
		events = append(events, "roots/list")
	}
	if pipeline.Member(answer, "action") != nil {
		events = append(events, "elicitation/create")
	}
	if events == nil || pipeline.Member(answer, "role") != nil {
		events = append(events, "sampling/createMessage")
	}
	return events
}

// questions takes the questions in a result, or in what is told of a task, past the interceptors.
func (s *stage) questions(ctx context.Context, set *Set, result json.RawMessage) (json.RawMessage, error) {
	return s.each(set, Request, result, inputRequests, func(q json.RawMessage) (json.RawMessage, error) {
		if err := s.once(pipeline.ErrInternal, q, "method", "params"); err != nil {
			return nil, err
		}
		params := pipeline.Member(q, "params")
		event := ourjson.Text(ourjson.Value(pipeline.Member(q, "method")))
		passed, err := s.pass(ctx, set, !s.calls, Question{Event: event, Phase: Request, Payload: params}, params)
		if err != nil || bytes.Equal(passed, params) {
			return q, err
		}
		return pipeline.SetMember(q, "params", passed)
	})
}

// responses takes the client's answers in the params of a call past the interceptors.
func (s *stage) responses(ctx context.Context, set *Set, params json.RawMessage) (json.RawMessage, error) {
	return s.each(set, Response, params, inputResponses, func(a json.RawMessage) (_ json.RawMessage, err error) {
		for _, event := range eventsOf(a) {
			if a, err = s.pass(ctx, set, s.calls, Question{Event: event, Phase: Response, Payload: a}, nil); err != nil {
				return nil, err
			}
		}
		return a, nil
	})
}

// each replaces the values in an object that is a member of another one, if interceptors want to see some of them.
func (s *stage) each(
	set *Set, phase string, object json.RawMessage, name string, f func(json.RawMessage) (json.RawMessage, error),
) (json.RawMessage, error) {
	wanted := false
	for _, event := range []string{"sampling/createMessage", "elicitation/create", "roots/list"} {
		some, _ := set.Hooks(event, phase)
		wanted = wanted || some
	}
	if !wanted { // a result may be long
		return object, nil
	}
	fault := pipeline.ErrInvalidParams
	if phase == Request { // what the server asks
		fault = pipeline.ErrInternal
	}
	if err := s.once(fault, object, name); err != nil {
		return nil, err
	}
	all := pipeline.Member(object, name)
	if all == nil {
		return object, nil
	}
	changed := all
	for one, err := range ourjson.Members(all, '{', ourjson.Lenient) {
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", fault, name, err)
		}
		passed, err := f(json.RawMessage(one.Value))
		if err == nil && !bytes.Equal(passed, one.Value) {
			changed, err = pipeline.SetMember(changed, one.Name, passed)
		}
		if err != nil {
			return nil, err
		}
	}
	if bytes.Equal(changed, all) {
		return object, nil
	}
	return pipeline.SetMember(object, name, changed)
}
