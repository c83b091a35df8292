package interceptor

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// The names of the extension. It is experimental and they may change: they are in this file only.
const (
	Extension    = "io.modelcontextprotocol/interceptors"
	MethodList   = "interceptors/list"
	MethodInvoke = "interceptor/invoke"

	Validation = "validation" // says yes or no
	Mutation   = "mutation"   // gives back another payload

	Request  = "request"
	Response = "response"
	Both     = "both" // in metadata; on the wire a hook of both phases is two

	Enforce = "enforce"
	Audit   = "audit" // is computed and told, but has no effect

	SeverityError = "error" // the only one that blocks
)

const codeTimeout = -32000

// A Definition is what is said of an interceptor, on the wire and in metadata.
type Definition struct {
	Name         string          `json:"name"`
	Version      string          `json:"version,omitzero"`
	Description  string          `json:"description,omitzero"`
	Type         string          `json:"type"`
	Hooks        []Hook          `json:"hooks"`
	Mode         string          `json:"mode,omitzero"` // empty: Enforce
	FailOpen     bool            `json:"failOpen,omitzero"`
	Priority     Priority        `json:"priorityHint,omitzero"`
	Compat       json.RawMessage `json:"compat,omitzero"`
	ConfigSchema json.RawMessage `json:"configSchema,omitzero"`
}

// MarshalJSON writes a hook for each phase.
func (d Definition) MarshalJSON() ([]byte, error) {
	type plain Definition
	hooks := d.Hooks
	d.Hooks = nil
	for _, h := range hooks {
		if h.Phase == Both {
			d.Hooks = append(d.Hooks, Hook{h.Events, Request}, Hook{h.Events, Response})
		} else {
			d.Hooks = append(d.Hooks, h)
		}
	}
	return json.Marshal(plain(d))
}

// UnmarshalJSON reads hooks, or the older hook, and checks what decides where the interceptor applies.
func (d *Definition) UnmarshalJSON(text []byte) error {
	type plain Definition
	older := struct {
		*plain
		Hook *Hook `json:"hook"`
	}{plain: (*plain)(d)}
	if err := json.Unmarshal(text, &older); err != nil {
		return err
	}
	if older.Hook != nil {
		d.Hooks = append(d.Hooks, *older.Hook)
	}
	switch {
	case d.Name == "":
		return errors.New("an interceptor has no name")
	case d.Type != Validation && d.Type != Mutation:
		return fmt.Errorf("interceptor %s: its type is %q, not %s or %s", d.Name, d.Type, Validation, Mutation)
	case len(d.Hooks) == 0:
		return fmt.Errorf("interceptor %s has no hooks", d.Name)
	case d.Mode != "" && d.Mode != Enforce && d.Mode != Audit:
		return fmt.Errorf("interceptor %s: its mode is %q, not %s or %s", d.Name, d.Mode, Enforce, Audit)
	}
	if d.Mode == Enforce {
		d.Mode = ""
	}
	for _, h := range d.Hooks {
		if err := h.Check(); err != nil {
			return fmt.Errorf("interceptor %s: %w", d.Name, err)
		}
	}
	return nil
}

// A Hook is where an interceptor applies. Events are names of methods, or patterns of them.
type Hook struct {
	Events []string `json:"events"`
	Phase  string   `json:"phase"`
}

// A Priority orders mutators: lower ones come first. On the wire it is a number, or one for each phase.
type Priority struct{ Request, Response int32 }

// MarshalJSON writes a number where both are the same.
func (p Priority) MarshalJSON() ([]byte, error) {
	if p.Request == p.Response {
		return json.Marshal(p.Request)
	}
	return json.Marshal(map[string]int32{Request: p.Request, Response: p.Response})
}

// UnmarshalJSON reads both forms.
func (p *Priority) UnmarshalJSON(text []byte) error {
	var n int32
	if json.Unmarshal(text, &n) == nil {
		*p = Priority{n, n}
		return nil
	}
	var each struct{ Request, Response int32 }
	if err := json.Unmarshal(text, &each); err != nil {
		return errors.New("must be a whole number of 32 bits, or an object of two: request and response")
	}
	*p = each
	return nil
}

// A Question asks an interceptor about a message: the params of [MethodInvoke]. Scripts get it, too.
type Question struct {
	Name      string          `json:"name"`
	Event     string          `json:"event"`
	Phase     string          `json:"phase"`
	Payload   json.RawMessage `json:"payload"`
	Config    json.RawMessage `json:"config,omitzero"`
	TimeoutMS int             `json:"timeoutMs,omitzero"`
	Context   json.RawMessage `json:"context,omitzero"`

	decoded func() (any, error) // Payload, for all that are asked about it; nil: nothing else is
}

// value returns the decoded payload, which is shared and does not change.
func (q *Question) value() (any, error) {
	if q.decoded == nil {
		return decoded(q.Payload)
	}
	return q.decoded()
}

// about returns the question about a payload, which all that are asked decode once.
func (q Question) about(payload json.RawMessage) Question {
	q.Payload, q.decoded = payload, sync.OnceValues(func() (any, error) { return decoded(payload) })
	return q
}

// A principal is who calls: a user, by the token that the server has checked, or somebody without one.
type principal struct {
	Type   string            `json:"type"`
	ID     string            `json:"id,omitzero"`
	Claims map[string]string `json:"claims"`
}

// principalOf returns nil for a caller that is not known, as on stdio.
func principalOf(c mcp.Caller) *principal {
	if c.Subject == "" && c.Address == "" {
		return nil
	}
	p := &principal{"anonymous", c.Subject, map[string]string{"address": c.Address}}
	if c.Subject != "" {
		p.Type, p.Claims["iss"], p.Claims["scope"] = "user", c.Issuer, strings.Join(c.Scopes, " ")
	}
	return p
}

// A Result is what an interceptor answers: a ValidationResult has Valid, a MutationResult has Modified and Payload.
type Result struct {
	Interceptor string          `json:"interceptor"`
	Type        string          `json:"type"`
	Phase       string          `json:"phase"`
	Valid       *bool           `json:"valid,omitzero"`
	Severity    string          `json:"severity,omitzero"`
	Messages    []Note          `json:"messages,omitzero"`
	Suggestions json.RawMessage `json:"suggestions,omitzero"`
	Modified    *bool           `json:"modified,omitzero"`
	Payload     json.RawMessage `json:"payload,omitzero"`
	DurationMS  float64         `json:"durationMs,omitzero"`
	Info        json.RawMessage `json:"info,omitzero"`
	ResultType  string          `json:"resultType,omitzero"` // of revisions without sessions
}

// A Note is one thing that a validator found.
type Note struct {
	Path     string `json:"path,omitzero"`
	Message  string `json:"message"`
	Severity string `json:"severity,omitzero"`
}

// resultOf reads a result; the error is in words of JSON, not of Go.
func resultOf(text []byte) (r Result, err error) {
	err = json.Unmarshal(text, &r)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s must not be of the type %s", cmp.Or(wrong.Field, "it"), wrong.Value)
	}
	return r, err
}

// verdict is the result of a validator that needs no more than yes or no.
func verdict(reason string) Result {
	valid := reason == ""
	r := Result{Valid: &valid}
	if !valid {
		r.Severity, r.Messages = SeverityError, []Note{{Message: reason, Severity: SeverityError}}
	}
	return r
}

// changed is the result of a mutator; a nil payload changes nothing.
func changed(payload json.RawMessage) Result {
	modified := payload != nil
	return Result{Modified: &modified, Payload: payload}
}

func failure(code int64, message string, data any) *jsonrpc2.Error {
	e := &jsonrpc2.Error{Code: code, Message: message}
	e.SetError(data)
	return e
}

func unknownName(name string) error {
	return failure(jsonrpc2.CodeInvalidParams, fmt.Sprintf("unknown interceptor %q", name),
		map[string]string{"interceptor": name})
}

func tooLate(name, phase string, ms int64) error {
	return failure(codeTimeout, fmt.Sprintf("interceptor %s did not answer within %d ms", name, ms),
		map[string]any{"interceptor": name, "timeoutMs": ms, "phase": phase})
}

func failed(name string, err error) error {
	return failure(jsonrpc2.CodeInternalError, fmt.Sprintf("interceptor %s failed: %v", name, err),
		map[string]string{"interceptor": name, "reason": err.Error()})
}

func mutationFailed(name string, err error) *jsonrpc2.Error {
	return failure(jsonrpc2.CodeInternalError, errorOf(err).Message, map[string]string{"failedInterceptor": name})
}

// An objection is one validator that refuses a message.
type objection struct {
	Interceptor string `json:"interceptor"`
	Severity    string `json:"severity"`
	Message     string `json:"message"`
}

func refused(all []objection) *jsonrpc2.Error {
	message := fmt.Sprintf("refused by %s: %s", all[0].Interceptor, all[0].Message)
	return failure(jsonrpc2.CodeInvalidParams, message, map[string]any{"validationErrors": all})
}
