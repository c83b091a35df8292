package middleware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// ErrCorrupt is the error for a message that could not be sent as it was.
var ErrCorrupt = pipeline.ErrCorrupt

// A SizeError is the error for a message that was too large to be sent.
type SizeError struct {
	Message     string // a name of the message: "response 1"
	Size, Limit int    // in bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, more than the limit of %d", e.Message, e.Size, e.Limit)
}

// OutputGuard lets only JSON-RPC messages leave, one a line, in UTF-8, without carriage returns or
// a byte order mark (S-02). It removes line breaks between tokens, and escapes U+2028 and U+2029,
// which some readers take for line breaks. Anything else is corrupt, also an answer to a message that
// has no id: a response is replaced by an internal error with the same id, other messages are dropped,
// and the send returns an error that wraps [ErrCorrupt].
//
// A response of more than max bytes (0: no limit) is replaced by an error with the same id that
// contains both sizes, a notification or call of that size is dropped, and the send returns a
// [*SizeError]. This is not corruption: a message that is too large for one client is valid for
// another.
//
// Without it one careless handler breaks the session of its client.
func OutputGuard(max int) pipeline.Middleware {
	return pipeline.Middleware{
		Name:  "outputguard",
		About: func() string { return atMost(max, "bytes a message") },
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			sound, err := repair(m)
			if err != nil {
				if err := replace(ctx, m, next, "the answer was not valid JSON"); err != nil {
					return err
				}
				return fmt.Errorf("%w: %s: %w", ErrCorrupt, describe(m), err)
			}
			sound = sound.EscapeSeparators()
			size := sound.Size()
			if max <= 0 || size <= max {
				return next(ctx, sound)
			}
			if err := replace(ctx, m, next,
				fmt.Sprintf("the answer has %d bytes, more than the limit of %d", size, max)); err != nil {
				return err
			}
			return &SizeError{Message: describe(m), Size: size, Limit: max}
		},
	}
}

// replace sends an error in place of a response.
func replace(ctx context.Context, m *pipeline.Message, next pipeline.Sender, reason string) error {
	if m.Kind() != pipeline.Response {
		return nil
	}
	return next(ctx, m.Refuse(fmt.Errorf("%w: %s", pipeline.ErrInternal, reason)))
}

// repair returns m, or m without its line breaks. A message is valid if the JSON in it is, and its
// required members are present, since the pipeline has written the rest. JSON that the pipeline has
// encoded is not checked again.
func repair(m *pipeline.Message) (*pipeline.Message, error) {
	switch m.Kind() {
	case pipeline.Malformed:
		return nil, fmt.Errorf("%s: %.80q", m.Fault().Message, m.Line())
	case pipeline.Batch:
		return nil, errors.New("a batch cannot be sent")
	}
	if !m.Encoded() {
		if raw, ok := payload(m); ok {
			if err := check(raw); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case m.Kind() == pipeline.Response && m.Fault() == nil && m.ID().IsZero():
		return nil, errors.New("a result needs the id of its call")
	case m.Params() != nil && !structured(m.Params()):
		return nil, errors.New("params that are neither an object nor an array")
	case m.Encoded(): // on one line
		return m, nil
	}
	line := m.Line()
	if bytes.IndexByte(line, '\r') < 0 && bytes.IndexByte(line, '\n') < 0 {
		return m, nil
	}
	v := json.Value(bytes.Clone(line))
	if err := v.Compact(json.Lenient); err != nil {
		return nil, err
	}
	return pipeline.Parse(v), nil
}

// payload returns the JSON in a message that other code may have written.
func payload(m *pipeline.Message) (raw []byte, ok bool) {
	switch fault := m.Fault(); {
	case m.Kind() != pipeline.Response:
		return m.Params(), m.Params() != nil
	case fault == nil:
		return m.Result(), true
	case fault.Data != nil:
		return *fault.Data, true
	}
	return nil, false
}

// check returns why raw is not one JSON value, nil if it is. Two values are an error: `{},"id":2`
// would make a valid line, but of another message.
func check(raw []byte) error {
	switch {
	case !utf8.Valid(raw):
		return errors.New("not valid UTF-8")
	case json.Value(raw).IsValid(json.Lenient):
		return nil
	}
	v := json.Value(bytes.Clone(raw))
	return v.Compact(json.Lenient) // reports where it fails
}

// structured reports whether valid JSON is an object or an array.
func structured(raw []byte) bool {
	k := json.Value(raw).Kind()
	return k == '{' || k == '['
}

// describe names a message in errors.
func describe(m *pipeline.Message) string {
	switch {
	case m.Method() != "":
		return fmt.Sprintf("%v %s", m.Kind(), m.Method())
	case m.ID().IsZero():
		return m.Kind().String()
	}
	return fmt.Sprintf("%v %v", m.Kind(), m.ID())
}
