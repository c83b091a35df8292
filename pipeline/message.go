package pipeline

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Kind is the kind of a message.
type Kind uint8

const (
	Malformed    Kind = iota // not a JSON-RPC message; Fault is the reason
	Batch                    // an array of messages; see Items
	Call                     // a request: it has an id and wants an answer
	Notification             // a request without an id: it is never answered
	Response                 // the answer to a call
)

func (k Kind) String() string {
	return [...]string{"malformed", "batch", "call", "notification", "response"}[k]
}

// A Message is one line of a JSON-RPC stream. It cannot change: a stage that wants another message
// creates one. Params and results stay the bytes that they were on the wire; code that needs their
// meaning decodes them.
//
// A Message is safe for concurrent use. The slices it hands out share its
// memory and must not be written to.
type Message struct {
	kind     Kind
	response bool   // malformed, and meant as a response
	encoded  bool   // its values were written by our encoder
	empty    bool   // of a response of ours: no result was given
	newline  bool   // behind line, within its capacity, is the newline
	apart    uint32 // where in line the value belongs that is not in it; 0 if it is
	line     []byte // one line without its newline
	id       ID     // zero for notifications and unreadable ids
	method   string // calls and notifications only
	value    []byte // the params, nil when absent or null; of a response the result
	fault    *jsonrpc2.Error
}

// A short is a message with room for its line: most lines are short, and then a message costs one
// allocation.
type short struct {
	Message
	room [room]byte
}

const room = 48 // enough for a ping and its answer, with an id of nine digits

// Kind returns the kind of m.
func (m *Message) Kind() Kind { return m.kind }

// Answerable reports whether m is answered: calls are, and arrays and malformed messages that are
// refused. Notifications and responses never are, well formed or not: two sides that answered each
// other's answers would not stop (J-10, J-24). The answers of doors and handlers to them are not
// sent.
func (m *Message) Answerable() bool {
	return m.kind == Call || m.kind == Batch || m.kind == Malformed && !m.response
}

// ID returns the id of a call or response, and of a malformed message if it could be read. An error
// response may have none, if the other side could not read the id.
func (m *Message) ID() ID { return m.id }

// Method returns the method of a call or notification.
func (m *Message) Method() string { return m.method }

// Params returns the params of a call or notification as they were sent, nil
// when they are absent or null (J-16).
func (m *Message) Params() json.RawMessage {
	if m.kind == Response {
		return nil
	}
	return m.value
}

// Result returns the result of a response as it was sent, nil for an error.
func (m *Message) Result() json.RawMessage {
	switch {
	case m.kind != Response:
		return nil
	case m.apart > 0:
		return slices.Concat(m.value, m.line[m.apart:len(m.line)-len("}")])
	}
	return m.value
}

// Fault returns the error of an error response, and of a malformed message the error that answers
// it. It is nil for all other messages.
func (m *Message) Fault() *jsonrpc2.Error { return m.fault }

// Line returns the message as it is on the wire, without a newline.
func (m *Message) Line() []byte {
	if m.apart > 0 {
		return m.appendTo(nil)
	}
	return slices.Clip(m.line)
}

// Size returns the length of the line in bytes.
func (m *Message) Size() int {
	if m.apart > 0 {
		return len(m.line) + len(m.value)
	}
	return len(m.line)
}

// appendTo appends the line to out.
func (m *Message) appendTo(out []byte) []byte {
	out = slices.Grow(out, m.Size()+len("\n"))
	if m.apart > 0 {
		out = append(append(out, m.line[:m.apart]...), m.value...)
	}
	return append(out, m.line[m.apart:]...)
}

// Encoded reports whether the values in m were written by the encoder of this package, so that they
// are JSON in UTF-8 on one line. It is false for messages that were parsed, and for JSON that was
// passed on unread.
func (m *Message) Encoded() bool { return m.encoded }

// terminated reports whether m.line can be written together with its newline.
func (m *Message) terminated() bool { return m.newline }

// Decode reads the params into v, with names in their exact case. Absent params
// leave v alone. The error wraps ErrInvalidParams (an array, a wrong type, a
// duplicate name at any depth) or ErrInvalidRequest (a scalar) and names the place.
func (m *Message) Decode(v any) error { return decodeParams(m.Params(), v) }

// longResult is the size from which on an [Encoded] result is not copied before it is written: it is
// kept anyway, and often sent.
const longResult = 4 << 10

// Answer returns the response to m with a result: any value that encodes as JSON, an [Encoded]
// value, a json.RawMessage that is passed on unread, or nothing (nil, an empty json.RawMessage) for
// an empty object. A value that cannot be encoded is an internal error, and so is a message without
// id, which no result can answer.
func (m *Message) Answer(result any) (*Message, error) {
	if m.id.IsZero() {
		return nil, fmt.Errorf("%w: %s has no id, so no result can answer it", ErrInternal, m.describe())
	}
	s := new(short)
	line := append(s.room[:0], `{"jsonrpc":"2.0","id":`...)
	line = append(line, m.id.raw...)
	line = append(line, `,"result":`...)
	from := len(line)
	if e, ok := result.(Encoded); ok && len(e.raw) >= longResult {
		value, rest := e.parts()
		line = append(append(line, rest...), '}')
		s.Message = Message{kind: Response, line: line, apart: uint32(from), encoded: true, id: m.id, value: value}
		return &s.Message, nil
	}
	line, encoded, err := appendJSON(line, result)
	if err != nil {
		return nil, err
	}
	to := len(line)
	line = append(line, "}\n"...)
	s.Message = Message{kind: Response, line: line[:to+1], newline: true, encoded: encoded,
		empty: string(line[from:to]) == "{}" && isNothing(result),
		id:    m.id, value: line[from:to:to]}
	return &s.Message, nil
}

func isNothing(result any) bool {
	raw, ok := result.(json.RawMessage)
	return result == nil || ok && len(raw) == 0
}

// withNulls returns a response of ours with null for what it lacks: a result, or an id that could not be read.
func (m *Message) withNulls() *Message {
	const before = `{"jsonrpc":"2.0",`
	switch {
	case m.empty:
		line := append(bytes.Clone(m.line[:len(m.line)-len("{}}")]), "null}"...)
		return &Message{kind: Response, line: line, encoded: true, id: m.id,
			value: line[len(line)-len("null}") : len(line)-1]}
	case m.fault != nil && m.id.IsZero() && bytes.HasPrefix(m.line, []byte(before+`"error":`)):
		line := append([]byte(before+`"id":null,`), m.line[len(before):]...)
		return &Message{kind: Response, line: line, encoded: m.encoded, fault: m.fault}
	}
	return m
}

// Refuse returns the error response to m for err; see [WireError] for what the client gets.
func (m *Message) Refuse(err error) *Message { return NewErrorResponse(m.id, err) }

// NewErrorResponse returns an error response. With the zero ID it has no id member, as for a
// message whose id could not be read (J-14).
func NewErrorResponse(id ID, err error) *Message {
	e := WireError(err)
	line := make([]byte, 0, 128)
	line = append(line, `{"jsonrpc":"2.0",`...)
	if !id.IsZero() {
		line = append(line, `"id":`...)
		line = append(line, id.raw...)
		line = append(line, ',')
	}
	line = append(line, `"error":{"code":`...)
	line = strconv.AppendInt(line, e.Code, 10)
	line = append(line, `,"message":`...)
	line, _ = json.AppendQuote(line, e.Message) // invalid UTF-8 becomes U+FFFD
	if e.Data != nil {
		line = append(line, `,"data":`...)
		line = append(line, *e.Data...)
	}
	line = append(line, "}}"...)
	return &Message{kind: Response, line: line, encoded: e.Data == nil, id: id, fault: e}
}

// NewNotification returns a notification. Params are any value that encodes as
// a JSON object; nil and an empty json.RawMessage leave them out.
func NewNotification(method string, params any) (*Message, error) {
	return newRequest(ID{}, method, params)
}

// newRequest makes a call, or a notification if id is zero.
func newRequest(id ID, method string, params any) (*Message, error) {
	m := &Message{kind: Notification, encoded: true, id: id, method: method}
	line := make([]byte, 0, 128)
	line = append(line, `{"jsonrpc":"2.0",`...)
	if !id.IsZero() {
		m.kind = Call
		line = append(line, `"id":`...)
		line = append(line, id.raw...)
		line = append(line, ',')
	}
	line = append(line, `"method":`...)
	line, _ = json.AppendQuote(line, method)
	if raw, ok := params.(json.RawMessage); params != nil && !(ok && len(raw) == 0) {
		line = append(line, `,"params":`...)
		from := len(line)
		var err error
		if line, m.encoded, err = appendJSON(line, params); err != nil {
			return nil, err
		}
		m.value = line[from:len(line):len(line)]
	}
	m.line = append(line, '}')
	return m, nil
}

// encoding is how values become JSON everywhere in this module: deterministic, nil slices as [],
// authors' raw JSON as they wrote it, except for white space.
var encoding = json.JoinOptions(
	json.Deterministic(true),
	json.Verbatim,
)

// An Encoded is a value that was encoded once, to be sent any number of times: as a result or
// params it is not checked again. The zero value is an empty object.
type Encoded struct {
	raw  []byte
	more []byte // further members, from their comma to the end, in place of the end of raw; nil for none
}

// Encode encodes a value for use in messages.
func Encode(v any) (Encoded, error) {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	raw, encoded, err := appendJSON((*scratch)[:0], v)
	if err == nil && !encoded {
		err = fmt.Errorf("%w: the value contains raw JSON that was not checked", ErrInternal)
	}
	if cap(raw) <= maxScratch {
		*scratch = raw
	}
	return Encoded{raw: slices.Clone(raw)}, err
}

// scratches are buffers in which values are encoded: an Encoded may be kept for long, so it has no
// room at its end.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 64 << 10

// Bytes returns the JSON. It must not be changed.
func (e Encoded) Bytes() json.RawMessage {
	if e.more == nil {
		return slices.Clip(e.raw)
	}
	return e.appendTo(nil)
}

// Merge returns the object with the members of e and then those of other, both of which must be
// objects. Neither is checked again, and e is not copied before it is sent.
func (e Encoded) Merge(other Encoded) Encoded {
	switch {
	case len(e.raw) <= len("{}"):
		return other
	case len(other.raw) <= len("{}"):
		return e
	}
	return Encoded{e.Bytes(), slices.Concat([]byte(","), other.Bytes()[len("{"):])}
}

// parts returns the JSON in two parts.
func (e Encoded) parts() (raw, more []byte) {
	switch {
	case len(e.raw) == 0:
		return []byte("{}"), nil
	case e.more == nil:
		return e.raw, nil
	}
	return e.raw[:len(e.raw)-len("}")], e.more
}

// appendTo appends the JSON to line.
func (e Encoded) appendTo(line []byte) []byte {
	raw, more := e.parts()
	line = slices.Grow(line, len(raw)+len(more)+len("}\n"))
	return append(append(line, raw...), more...)
}

// appendJSON appends v as JSON to line: raw JSON as it is, nothing as {}. It reports whether the
// appended text is certain to be JSON in UTF-8 on one line. A value may contain raw JSON, whose
// grammar the encoder has checked.
func appendJSON(line []byte, v any) (_ []byte, encoded bool, err error) {
	switch v := v.(type) {
	case nil:
		return append(line, "{}"...), true, nil
	case Encoded:
		return v.appendTo(line), true, nil
	case json.RawMessage:
		if len(v) == 0 {
			return append(line, "{}"...), true, nil
		}
		return append(line, v...), false, nil
	case LongTexts:
		return appendApart(line, v, len("}\n"))
	}
	return marshal(line, v)
}
