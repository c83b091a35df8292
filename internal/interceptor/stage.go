package interceptor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	ourjson "github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Stage returns the stage that takes the messages of one session past the interceptors that find returns: calls of
// the client and their results, and what the server asks its client and what that answers. While find fails, messages
// are refused. calls is the direction of the client's calls: a server receives them; in front of one that somebody else
// wrote they are sent, across the boundary of trust. Its place is at the end of the chain: what it refuses is logged,
// counted and limited like all other calls.
func Stage(calls Direction, find func(context.Context) (*Set, error)) pipeline.Middleware {
	s := &stage{calls: calls, find: find, session: rand.Text()}
	return pipeline.Middleware{Name: "interceptors", Inbound: s.inbound, Leaving: s.leaving}
}

type stage struct {
	calls   Direction // of the client, and of its answers; what the server asks and answers has the other one
	find    func(context.Context) (*Set, error)
	session string   // its id, in the context of questions
	asked   sync.Map // by the id of a call to the client, whose answer concerns an interceptor: its method
}

// Context is what a question says besides its payload: in which session it is asked, who calls, where that is known, and
// what the call with params is about, which is the name of a tool or a prompt, or a URI.
func Context(ctx context.Context, session string, params []byte) json.RawMessage {
	text := `{"sessionId":"` + session + `"`
	if who := principalOf(mcp.CallerOf(ctx)); who != nil {
		encoded, _ := json.Marshal(who) // it always can be
		text += `,"principal":` + string(encoded)
	}
	subject := pipeline.Member(params, "name")
	if subject == nil {
		subject = pipeline.Member(params, "uri")
	}
	if subject != nil {
		text += `,"subject":` + string(subject)
	}
	return json.RawMessage(text + "}")
}

// Exempt reports whether a method never passes interceptors. A client needs initialize, ping and server/discover to begin
// a session and to keep it, also where a rule is broken; an interceptor that is asked must not be asked about that.
func Exempt(method string) bool {
	switch method {
	case "initialize", "ping", "server/discover", MethodList, MethodInvoke:
		return true
	}
	return false
}

func (s *stage) inbound(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
	switch {
	case m.Kind() == pipeline.Response:
		return s.answered(ctx, m, next)
	case m.Kind() != pipeline.Call || Exempt(m.Method()):
		return next(ctx, m)
	}
	set, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	passed, err := s.request(ctx, set, s.calls, m)
	if err == nil {
		passed, err = s.responses(ctx, set, passed)
	}
	if err != nil {
		return refusalOf(ctx, m, err)
	}
	answer, err := next(ctx, passed)
	if err != nil || answer == nil || answer.Kind() != pipeline.Response || answer.Fault() != nil {
		return answer, err
	}
	if set, err = s.find(ctx); err == nil { // the rules as they are now: the call may have taken long
		answer, err = s.response(ctx, set, !s.calls, answer, m.Method(), passed.Params())
	}
	if err == nil {
		answer, err = s.questions(ctx, set, answer)
	}
	switch {
	case err != nil:
	case m.Method() == "tasks/result": // of 2025-11-25
		answer, err = s.response(ctx, set, !s.calls, answer, "tools/call", nil)
	case m.Method() == "tasks/get":
		var task json.RawMessage
		if task, err = s.outcome(ctx, set, answer.Result()); err == nil && !bytes.Equal(task, answer.Result()) {
			answer, err = answer.WithResult(task)
		}
	}
	if err != nil {
		return refusalOf(ctx, m, err)
	}
	return answer, nil
}

// held is how long an expression may hold up other messages.
const held = 10 * time.Millisecond

// pass takes a payload of a call with params past the interceptors that it concerns.
func (s *stage) pass(ctx context.Context, set *Set, d Direction, q Question, params []byte) (json.RawMessage, error) {
	some, slow := set.Hooks(q.Event, q.Phase)
	if !some {
		return q.Payload, nil
	}
	if s.calls == Sending { // both ends are programs of others; a server of ours refuses these itself
		if err := unambiguous(q); err != nil {
			return nil, err
		}
	}
	if slow {
		pipeline.Yield(ctx)
	} else {
		defer pipeline.YieldAfter(ctx, held)()
	}
	q.Context = Context(ctx, s.session, params)
	return set.Pass(ctx, d, q)
}

// unambiguous refuses a payload that its receiver may read in another way than the interceptors do: with a member twice,
// or with one that rules are about in another spelling.
func unambiguous(q Question) error {
	fault := pipeline.ErrInvalidParams
	if q.Phase == Response {
		fault = pipeline.ErrInternal
	}
	for _, err := range ourjson.Members(q.Payload, '{', ourjson.AllowInvalidUTF8(true)) {
		var at *ourjson.SyntacticError
		if errors.Is(err, ourjson.ErrDuplicateName) && errors.As(err, &at) {
			return fmt.Errorf("%w: duplicate member %s", fault, at.JSONPointer)
		}
	}
	twice := ourjson.Ambiguous(q.Payload, "name", "arguments", "uri", "messages", "content",
		"structuredContent", "contents")
	if twice != "" {
		return fmt.Errorf("%w: two spellings of %q", fault, twice)
	}
	return nil
}

// request takes a call past the interceptors. It is m itself where none has changed a byte.
func (s *stage) request(ctx context.Context, set *Set, d Direction, m *pipeline.Message) (*pipeline.Message, error) {
	params, err := s.pass(ctx, set, d, Question{Event: m.Method(), Phase: Request, Payload: m.Params()}, m.Params())
	if err != nil || bytes.Equal(params, m.Params()) {
		return m, err
	}
	return m.WithParams(params)
}

// response takes the answer to a call past the interceptors.
func (s *stage) response(ctx context.Context, set *Set, d Direction, m *pipeline.Message, method string,
	params []byte) (*pipeline.Message, error) {
	result, err := s.pass(ctx, set, d, Question{Event: method, Phase: Response, Payload: m.Result()}, params)
	if err != nil || bytes.Equal(result, m.Result()) {
		return m, err
	}
	return m.WithResult(result)
}

// outcome takes the result in a task, if it has one, past the interceptors for results of tools. What the tool was is not
// known any more.
func (s *stage) outcome(ctx context.Context, set *Set, task json.RawMessage) (json.RawMessage, error) {
	before := pipeline.Member(task, "result")
	if before == nil {
		return task, nil
	}
	after, err := s.pass(ctx, set, !s.calls, Question{Event: "tools/call", Phase: Response, Payload: before}, nil)
	if err != nil || bytes.Equal(before, after) {
		return task, err
	}
	return pipeline.SetMember(task, "result", after)
}

// leaving takes what the server asks its client past the interceptors, and the result in what it reports of a task.
func (s *stage) leaving(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
	if m.Kind() == pipeline.Notification && m.Method() == "notifications/cancelled" {
		s.asked.Delete(strings.TrimSpace(string(pipeline.Member(m.Params(), "requestId"))))
	}
	task := m.Kind() == pipeline.Notification && m.Method() == "notifications/tasks"
	if !task && (m.Kind() != pipeline.Call || Exempt(m.Method())) {
		return next(ctx, m)
	}
	set, err := s.find(ctx)
	if err != nil {
		return err
	}
	if task {
		params, err := s.outcome(ctx, set, m.Params())
		if err == nil && !bytes.Equal(params, m.Params()) {
			m, err = m.WithParams(params)
		}
		if err != nil {
			return err
		}
		return next(ctx, m)
	}
	if m, err = s.request(ctx, set, !s.calls, m); err != nil {
		return err
	}
	if some, _ := set.Hooks(m.Method(), Response); some {
		s.asked.Store(m.ID().String(), m.Method())
	}
	return next(ctx, m)
}

// answered takes the client's answer past the interceptors. One that is refused becomes an error.
func (s *stage) answered(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
	method, concerned := s.asked.LoadAndDelete(m.ID().String())
	if !concerned || m.Fault() != nil {
		return next(ctx, m)
	}
	set, err := s.find(ctx)
	passed := m
	if err == nil {
		passed, err = s.response(ctx, set, s.calls, m, method.(string), nil)
	}
	if err != nil {
		passed = pipeline.NewErrorResponse(m.ID(), err)
	}
	return next(ctx, passed)
}

// refusalOf answers a call that may not pass. Models act on the result of a tool, so it is one that failed; other
// methods have no such results.
func refusalOf(ctx context.Context, m *pipeline.Message, err error) (*pipeline.Message, error) {
	var r *Refusal
	if !errors.As(err, &r) || r.AsError || m.Method() != "tools/call" {
		return nil, err
	}
	result := struct {
		mcp.Result
		Content []mcp.Content `json:"content"`
		IsError bool          `json:"isError"`
	}{sealed(ctx), []mcp.Content{mcp.Text(r.Error())}, true}
	return m.Answer(result)
}
