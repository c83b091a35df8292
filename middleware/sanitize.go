package middleware

import (
	"bytes"
	"context"
	"slices"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Sanitize removes what editors, shells and Windows put around a message: a byte order mark in
// front, carriage returns and blanks at either end, and blank lines, which are dropped (S-04).
// Nothing inside a message changes, and a line that can be read as it is passes unchanged.
//
// Without it, the first line of a client that begins with a byte order mark is refused as invalid
// JSON, and a blank line is answered.
func Sanitize() pipeline.Middleware {
	return pipeline.Middleware{
		Name: "sanitize",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Malformed || m.Fault().Code != jsonrpc2.CodeParseError {
				return next(ctx, m)
			}
			clean := trim(m.Line())
			switch len(clean) {
			case 0:
				return nil, nil
			case len(m.Line()):
				return next(ctx, m)
			}
			return nil, pipeline.Split(ctx, slices.Values([]*pipeline.Message{pipeline.Parse(clean)}), next)
		},
	}
}

var byteOrderMark = []byte("\ufeff")

// trim returns line without the bytes around the message.
func trim(line []byte) []byte {
	for {
		clean := bytes.TrimPrefix(bytes.TrimSpace(line), byteOrderMark)
		if len(clean) == len(line) {
			return clean
		}
		line = clean
	}
}
