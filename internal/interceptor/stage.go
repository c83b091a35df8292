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

// Context is what a question says besides its payload: in which session it is asked, who calls, where that is known,
// and what the call with params is about, which is the name of a tool or a prompt, or a URI.
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

// Exempt reports whether a method never passes interceptors. A client needs initialize, ping and server/discover to
// begin a session and to keep it, also where a rule is broken; an interceptor that is asked must not be asked about
// that.
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
		var params json.RawMessage
		if params, err = s.responses(ctx, set, passed.Params()); err == nil {
			passed, err = withParams(passed, params)
		}
	}
	if err != nil {
		return refusalOf(m, err)
	}
	answer, err := next(ctx, passed)
	if err != nil || answer == nil || answer.Kind() != pipeline.Response || answer.Fault() != nil {
		return answer, err
	}
	var result json.RawMessage
	if set, err = s.find(ctx); err == nil { // the rules as they are now: the call may have taken long
		result, err = s.result(ctx, set, m.Method(), answer.Result(), passed.Params())
	}
	if err != nil {
		return refusalOf(m, err)
	}
	return withResult(answer, result)
}

// held is how long an expression may hold up other messages.
const held = 10 * time.Millisecond

// pass takes a payload of a call with params past the interceptors that it concerns.
func (s *stage) pass(ctx context.Context, set *Set, d Direction, q Question, params []byte) (json.RawMessage, error) {
	some, slow := set.Hooks(q.Event, q.Phase)
	if !some {
		return q.Payload, nil
	}
	if s.calls == Sending {
		if err := s.unambiguous(q); err != nil {
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

// unambiguous refuses a payload that its receiver may read in another way than the interceptors do: with a member
// twice, or with one that rules are about in another spelling.
func (s *stage) unambiguous(q Question) error {
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
	return s.once(fault, q.Payload, "name", "arguments", "uri", "messages", "content", "structuredContent", "contents")
}

// once refuses an object with one of these members twice or in another spelling, if both ends are programs of others: a
// server of ours does so itself.
func (s *stage) once(fault error, object json.RawMessage, names ...string) error {
	if s.calls != Sending {
		return nil
	}
	if twice := ourjson.Ambiguous(object, names...); twice != "" {
		return fmt.Errorf("%w: two spellings of %q", fault, twice)
	}
	return nil
}

// withParams returns m with other params, m itself where none has changed a byte.
func withParams(m *pipeline.Message, params json.RawMessage) (*pipeline.Message, error) {
	if bytes.Equal(params, m.Params()) {
		return m, nil
	}
	return m.WithParams(params)
}

// withResult returns m with another result, m itself where none has changed a byte.
func withResult(m *pipeline.Message, result json.RawMessage) (*pipeline.Message, error) {
	if bytes.Equal(result, m.Result()) {
		return m, nil
	}
	return m.WithResult(result)
}

// request takes a call past the interceptors.
func (s *stage) request(ctx context.Context, set *Set, d Direction, m *pipeline.Message) (*pipeline.Message, error) {
	params, err := s.pass(ctx, set, d, Question{Event: m.Method(), Phase: Request, Payload: m.Params()}, m.Params())
	if err != nil {
		return nil, err
	}
	return withParams(m, params)
}

// result takes the result of a call of the client past the interceptors, with what it has of a task, and the questions
// in it.
func (s *stage) result(ctx context.Context, set *Set, method string, result, params json.RawMessage) (
	json.RawMessage, error) {
	result, err := s.pass(ctx, set, !s.calls, Question{Event: method, Phase: Response, Payload: result}, params)
	switch {
	case err != nil:
	case method == "tasks/result": // of 2025-11-25
		result, err = s.pass(ctx, set, !s.calls, Question{Event: "tools/call", Phase: Response, Payload: result}, nil)
	case method == "tasks/get":
		result, err = s.outcome(ctx, set, result)
	}
	if err != nil {
		return nil, err
	}
	return s.questions(ctx, set, result)
}

// outcome takes the result in a task, if it has one, past the interceptors for results of tools. What the tool was is
// believed of our own server only.
func (s *stage) outcome(ctx context.Context, set *Set, task json.RawMessage) (json.RawMessage, error) {
	if some, _ := set.Hooks("tools/call", Response); !some {
		return task, nil
	}
	if err := s.once(pipeline.ErrInternal, task, "result"); err != nil {
		return nil, err
	}
	before := pipeline.Member(task, "result")
	if before == nil {
		return task, nil
	}
	var params json.RawMessage
	if name := pipeline.Member(pipeline.Member(task, "_meta"), mcp.KeyTaskName); name != nil && s.calls == Receiving {
		params = json.RawMessage(`{"name":` + string(name) + `}`)
	}
	after, err := s.pass(ctx, set, !s.calls, Question{Event: "tools/call", Phase: Response, Payload: before}, params)
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
		if err == nil {
			params, err = s.questions(ctx, set, params)
		}
		if err == nil {
			m, err = withParams(m, params)
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
		var result json.RawMessage
		q := Question{Event: method.(string), Phase: Response, Payload: m.Result()}
		if result, err = s.pass(ctx, set, s.calls, q, nil); err == nil {
			passed, err = withResult(m, result)
		}
	}
	if err != nil {
		passed = pipeline.NewErrorResponse(m.ID(), err)
	}
	return next(ctx, passed)
}

// refusalOf answers a call that may not pass. Models act on the result of a tool, so it is one that failed; other
// methods have no such results.
func refusalOf(m *pipeline.Message, err error) (*pipeline.Message, error) {
	var r *Refusal
	if !errors.As(err, &r) || r.AsError || m.Method() != "tools/call" {
		return nil, err
	}
	result := struct {
		mcp.Result
		Content []mcp.Content `json:"content"`
		IsError bool          `json:"isError"`
	}{sealed(m), []mcp.Content{mcp.Text(r.Error())}, true}
	return m.Answer(result)
}
