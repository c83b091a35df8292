package trace

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An object is the JSON trace of a step. docs/trace.schema.json describes it.
type object struct {
	Session   string    `json:"session"`
	Time      time.Time `json:"time"`
	Way       string    `json:"way,omitempty"` // step, in a recording
	Line      uint64    `json:"line"`
	Direction string    `json:"direction"`
	subject
	For     *subject       `json:"for,omitempty"`
	Stage   string         `json:"stage"`
	Verdict string         `json:"verdict"`
	Reason  string         `json:"reason,omitempty"`
	Notes   map[string]any `json:"notes,omitempty"`
	Micros  int64          `json:"micros"`
	change
}

// A subject identifies the message of a step, or the message that caused it.
type subject struct {
	Kind   string `json:"kind"`
	Method string `json:"method,omitempty"`
	Name   string `json:"name,omitempty"`
	ID     string `json:"id,omitempty"`
}

// subjectOf names a message without secrets: a client may have used one as the id.
func subjectOf(m *pipeline.Message, rules redact.Rules) subject {
	id := m.ID().String()
	if id != "" {
		id = string(rules.Line([]byte(id)))
	}
	return subject{m.Kind().String(), rules.Known(m.Method()), short(rules.Known(nameOf(m))), id}
}

// object prints a step on a line.
func (p *Printer) object(s pipeline.Step) {
	o := object{
		Session:   s.Session,
		Time:      s.At.UTC(),
		Line:      s.Line,
		Direction: "in",
		subject:   subjectOf(s.Message, p.rules),
		Stage:     s.Stage,
		Verdict:   string(s.Verdict),
		Reason:    p.rules.Known(s.Reason),
		Micros:    s.Took.Microseconds(),
	}
	for _, note := range s.Notes {
		if o.Notes == nil {
			o.Notes = make(map[string]any)
		}
		switch note.Value.Kind() {
		case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool:
			o.Notes[note.Key] = note.Value.Any()
		default:
			o.Notes[note.Key] = p.rules.Known(note.Value.String())
		}
	}
	if p.format == Recorded {
		o.Way = "step"
	}
	if s.Out {
		o.Direction = "out"
	}
	if s.Cause != nil {
		cause := subjectOf(s.Cause, p.rules)
		o.For = &cause
	}
	if s.To != nil {
		o.change = changeOf(s, p.rules)
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if e.Encode(o) == nil {
		p.w.Write(line.Bytes())
	}
}
