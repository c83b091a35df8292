package middleware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-bash/mcp-bash/pipeline"
)

// ErrCorrupt is the error of a message that could not be sent as it was.
var ErrCorrupt = errors.New("corrupt output")

// OutputGuard lets nothing leave but one JSON object a line, in UTF-8, without
// carriage returns or a byte order mark (S-02). Line breaks between tokens are
// taken out. Anything else is corrupt: a response is replaced by an internal
// error with the same id, other messages are dropped, and the send returns an
// error that wraps [ErrCorrupt].
//
// A response of more than max bytes (0: no limit) is replaced by an error with
// the same id that tells both sizes; a notification or call of that size is
// dropped.
//
// Without it one careless handler ends the session of its client.
func OutputGuard(max int) pipeline.Middleware {
	return pipeline.Middleware{
		Name: "outputguard",
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			sound, err := inspect(m)
			if err == nil && max > 0 && len(sound.Line()) > max {
				return replace(ctx, m, next, fmt.Errorf("%w: the answer has %d bytes, more than the limit of %d", pipeline.ErrInternal, len(sound.Line()), max))
			}
			if err == nil {
				return next(ctx, sound)
			}
			if err := replace(ctx, m, next, fmt.Errorf("%w: the answer was not valid JSON", pipeline.ErrInternal)); err != nil {
				return err
			}
			return fmt.Errorf("%w: %s %s: %w", ErrCorrupt, m.Kind(), m.ID(), err)
		},
	}
}

// inspect returns m, or m without its line breaks.
func inspect(m *pipeline.Message) (*pipeline.Message, error) {
	line := m.Line()
	if bytes.IndexByte(line, '\r') >= 0 || bytes.IndexByte(line, '\n') >= 0 {
		v := jsontext.Value(bytes.Clone(line))
		if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)); err != nil {
			return nil, err
		}
		m = pipeline.Parse(v)
		line = v
	}
	switch {
	case !utf8.Valid(line):
		return nil, errors.New("not valid UTF-8")
	case len(line) == 0 || line[0] != '{':
		return nil, errors.New("not an object")
	}
	if p := pipeline.Parse(line); p.Kind() == pipeline.Malformed && p.Fault().Code == -32700 {
		return nil, p.Fault()
	}
	return m, nil
}

// replace sends an error in the place of a response.
func replace(ctx context.Context, m *pipeline.Message, next pipeline.Sender, err error) error {
	if m.Kind() != pipeline.Response {
		return nil
	}
	return next(ctx, m.Refuse(err))
}
