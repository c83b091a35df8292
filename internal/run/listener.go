package run

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A listener sends the progress and log messages of a running tool to the client.
// They come as lines of JSON, each a whole notifications/progress or
// notifications/message, and through the SDK's channel.
type listener struct {
	context context.Context // of the call
	call    Call
	clock   *clock // of the run
	log     *slog.Logger
	trace   mcp.Trace // of the call

	rest []byte // of a line that is not complete
	skip bool   // drop the rest of a line that is too long

	mu       sync.Mutex // one notification at a time; guards what follows
	highest  float64    // the last progress sent
	reported bool       // some progress was sent
}

// maxLine is the most bytes that a line of a tool may have.
const maxLine = 1 << 20

// ProgressToken returns the token in the _meta of a request: a string or a
// number (P-08); nil if the client wants no progress (P-01).
func ProgressToken(meta json.RawMessage) json.RawMessage {
	var m struct {
		ProgressToken json.RawMessage `json:"progressToken"`
	}
	if len(meta) == 0 || json.Unmarshal(meta, &m, json.Lenient) != nil {
		return nil
	}
	if k := json.Value(m.ProgressToken).Kind(); k != '"' && k != '0' {
		return nil
	}
	return m.ProgressToken
}

// Write handles what the tool wrote, in pieces of any size. It never fails.
func (l *listener) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		line, more, whole := bytes.Cut(b, []byte{'\n'})
		if len(l.rest)+len(line) > maxLine {
			l.rest, l.skip = nil, true
		}
		if !l.skip {
			l.rest = append(l.rest, line...)
		}
		b = more
		if whole {
			if !l.skip && len(bytes.TrimSpace(l.rest)) > 0 {
				l.line(l.rest)
			}
			l.rest, l.skip = l.rest[:0], false
		}
	}
	return n, nil
}

func (l *listener) line(line []byte) {
	var m struct {
		Method string `json:"method"`
		Params struct {
			Progress json.RawMessage `json:"progress"`
			Total    json.RawMessage `json:"total"`
			Message  string          `json:"message"`
			Level    mcp.Level       `json:"level"`
			Logger   string          `json:"logger"`
			Data     json.RawMessage `json:"data"`
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &m, json.Lenient); err != nil {
		l.log.Warn("a tool wrote a broken line to its stream", "tool", l.call.Tool.Name, "error", err)
		return
	}
	switch m.Method {
	case "notifications/progress":
		l.progress(l.context, mcp.ProgressParams{Progress: m.Params.Progress, Total: m.Params.Total,
			Message: m.Params.Message})
	case "notifications/message":
		if m.Params.Level.Valid() && m.Params.Data != nil {
			l.message(l.context, mcp.LogParams{Level: m.Params.Level, Logger: m.Params.Logger, Data: m.Params.Data})
		}
	default:
		l.log.Warn("a tool may write progress and log messages to its stream, nothing else", "tool", l.call.Tool.Name,
			"method", m.Method)
	}
}

// progress sends progress that is greater than the last (P-02). An unknown total is
// absent (P-03). Any report counts as progress for the clock, even without a value.
func (l *listener) progress(ctx context.Context, p mcp.ProgressParams) error {
	l.clock.progress()
	value, err := strconv.ParseFloat(string(p.Progress), 64)
	if err != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reported && value <= l.highest {
		return nil
	}
	l.reported, l.highest = true, value
	if json.Value(p.Total).Kind() != '0' {
		p.Total = nil
	}
	p.Meta = l.trace
	if !l.call.Revision.ProgressMessages {
		p.Message = ""
	}
	if l.call.Progress == nil {
		return nil
	}
	return l.call.Progress(ctx, p)
}

func (l *listener) message(ctx context.Context, p mcp.LogParams) error {
	if data, ok := p.Data.(json.RawMessage); ok {
		data, _ := json.Sendable(data)
		p.Data = json.RawMessage(data)
	}
	p.Meta = l.trace
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.call.Log == nil {
		return nil
	}
	return l.call.Log(ctx, p)
}
