package middleware

import (
	"bytes"
	"context"

	"github.com/mcp-bash/mcp-bash/pipeline"
)

// Sanitize forgives what editors, shells and Windows put around a message: a
// byte order mark, carriage returns and blanks at either end, and blank lines,
// which are dropped (S-04). Nothing inside a message changes.
//
// Without it, a client that starts its first line with a byte order mark is
// told that it speaks no JSON.
func Sanitize() pipeline.Middleware {
	return pipeline.Middleware{
		Name: "sanitize",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			clean := trim(m.Line())
			switch {
			case len(clean) == len(m.Line()):
				return next(ctx, m)
			case len(clean) == 0:
				return nil, nil
			}
			return next(ctx, pipeline.Parse(clean))
		},
	}
}

var byteOrderMark = []byte("\ufeff")

// trim returns line without what does not belong to the message.
func trim(line []byte) []byte {
	for {
		clean := bytes.TrimPrefix(bytes.TrimSpace(line), byteOrderMark)
		if len(clean) == len(line) {
			return clean
		}
		line = clean
	}
}
