package middleware

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Record writes the messages that pass to w, a line of JSON for each, in the order in which they
// pass: an incoming message before it goes on, an outgoing one after it has left.
//
//	{"time":"2026-01-31T10:00:00.123456Z","way":"in","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
//
// Its way is in or out. A line that is not JSON is written as a string. Secrets are removed: the
// texts in secrets wherever they occur, and texts that look like a secret. If w fails, recording
// ends with an error in log; messages pass as before.
//
// It is outside of all stages that may change or drop what leaves.
//
// A nil w records nothing, at no cost.
//
// Without it there is no record of the messages.
func Record(w io.Writer, secrets []string, log *slog.Logger) pipeline.Middleware {
	if w == nil {
		return pipeline.Middleware{Name: "record"}
	}
	r := &recorder{w: w, rules: redact.Rules{Secrets: secrets}, log: cmp.Or(log, slog.Default())}
	return pipeline.Middleware{
		Name: "record",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			r.write("in", m)
			return next(ctx, m)
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			err := next(ctx, m)
			if err == nil {
				r.write("out", m)
			}
			return err
		},
	}
}

type recorder struct {
	rules redact.Rules
	log   *slog.Logger

	mu  sync.Mutex
	w   io.Writer // nil after it has failed
	out []byte    // the line being written
}

func (r *recorder) write(way string, m *pipeline.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.w == nil {
		return
	}
	r.out = append(r.out[:0], `{"time":"`...)
	r.out = time.Now().UTC().AppendFormat(r.out, "2006-01-02T15:04:05.000000Z")
	r.out = append(r.out, `","way":"`...)
	r.out = append(r.out, way...)
	r.out = append(r.out, `","message":`...)
	r.out = append(r.out, r.rules.Line(m.Line())...)
	r.out = append(r.out, "}\n"...)
	if _, err := r.w.Write(r.out); err != nil {
		r.w = nil
		r.log.Warn("recording stopped: cannot write", "error", err)
	}
	if cap(r.out) > 1<<20 {
		r.out = nil
	}
}
