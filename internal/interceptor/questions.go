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

// eventOf returns what a client's answer answers. The call that asked is over, but the answers have different shapes.
func eventOf(answer json.RawMessage) string {
	switch {
	case pipeline.Member(answer, "roots") != nil:
		return "roots/list"
	case pipeline.Member(answer, "action") != nil:
		return "elicitation/create"
	}
	return "sampling/createMessage"
}

// questions takes the questions in a result past the interceptors.
func (s *stage) questions(ctx context.Context, set *Set, answer *pipeline.Message) (*pipeline.Message, error) {
	result, err := each(set, Request, answer.Result(), inputRequests, func(q json.RawMessage) (json.RawMessage, error) {
		params := pipeline.Member(q, "params")
		event := ourjson.Text(ourjson.Value(pipeline.Member(q, "method")))
		passed, err := s.pass(ctx, set, !s.calls, Question{Event: event, Phase: Request, Payload: params}, params)
		if err != nil || bytes.Equal(passed, params) {
			return q, err
		}
		return pipeline.SetMember(q, "params", passed)
	})
	if err != nil || bytes.Equal(result, answer.Result()) {
		return answer, err
	}
	return answer.WithResult(result)
}

// responses takes the client's answers in a call past the interceptors.
func (s *stage) responses(ctx context.Context, set *Set, m *pipeline.Message) (*pipeline.Message, error) {
	params, err := each(set, Response, m.Params(), inputResponses, func(a json.RawMessage) (json.RawMessage, error) {
		return s.pass(ctx, set, s.calls, Question{Event: eventOf(a), Phase: Response, Payload: a}, nil)
	})
	if err != nil || bytes.Equal(params, m.Params()) {
		return m, err
	}
	return m.WithParams(params)
}

// each replaces the values in an object that is a member of another one, if interceptors want to see some of them.
func each(
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
	all := pipeline.Member(object, name)
	if all == nil {
		return object, nil
	}
	changed := all
	for one, err := range ourjson.Members(all, '{', ourjson.Lenient) {
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", pipeline.ErrInvalidParams, name, err)
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
