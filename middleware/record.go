package middleware

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Recording is where the messages of a session are recorded, and what its first line says.
type Recording struct {
	To      io.Writer `json:"-"` // gets whole lines, from several sessions at once; nil: nothing is recorded, at no cost
	Version string    `json:"version,omitempty"`
	Project string    `json:"project,omitempty"` // the folder that is served
}

// Record writes the messages that pass, a line of JSON for each, in the order in which they pass: an incoming
// message before it goes on, an outgoing one after it has left.
//
//	{"session":"K7QX2MFA3T","time":"2026-01-31T10:00:00.123456Z","way":"in","line":1,"message":{"id":1,…}}
//
// The way is in or out; start is that of the first line of a session, whose message is the [Recording]. The line is
// the number of the client's line that the message is, or was sent for; see [pipeline.Place]. A message that is not
// JSON is written as a string. Secrets are removed: the texts in secrets wherever they occur, and texts that look
// like a secret. If writing fails, recording ends with an error in log; messages pass as before.
//
// It is outside of all stages that may change or drop what leaves.
//
// Without it there is no record of the messages.
func Record(to Recording, secrets []string, log *slog.Logger) pipeline.Middleware {
	if to.To == nil {
		return pipeline.Middleware{Name: "record"}
	}
	r := &recorder{to: to, rules: redact.Rules{Secrets: secrets}, log: cmp.Or(log, slog.Default())}
	return pipeline.Middleware{
		Name: "record",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			r.message(ctx, "in", m)
			return next(ctx, m)
		},
		Outbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Sender) error {
			err := next(ctx, m)
			if err == nil {
				r.message(ctx, "out", m)
			}
			return err
		},
	}
}

type recorder struct {
	to    Recording
	rules redact.Rules
	log   *slog.Logger

	mu    sync.Mutex
	began bool   // the first line is written
	ended bool   // writing has failed
	out   []byte // the line being written
}

func (r *recorder) message(ctx context.Context, way string, m *pipeline.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	session, line := pipeline.Place(ctx)
	if !r.began {
		r.began = true
		start, _ := json.Marshal(r.to) // texts can always be written
		r.write(session, "start", 0, start)
	}
	r.write(session, way, line, r.rules.Line(m.Line()))
}

// write writes a line at once: others may append to the same file.
func (r *recorder) write(session, way string, line uint64, message []byte) {
	if r.ended {
		return
	}
	r.out = append(r.out[:0], `{"session":"`+session+`","time":"`...)
	r.out = time.Now().UTC().AppendFormat(r.out, "2006-01-02T15:04:05.000000Z")
	r.out = append(r.out, `","way":"`+way+`",`...)
	if line > 0 {
		r.out = append(strconv.AppendUint(append(r.out, `"line":`...), line, 10), ',')
	}
	r.out = append(append(append(r.out, `"message":`...), message...), "}\n"...)
	if _, err := r.to.To.Write(r.out); err != nil {
		r.ended = true
		r.log.Warn("recording stopped: cannot write", "error", err)
	}
	if cap(r.out) > 1<<20 {
		r.out = nil
	}
}
