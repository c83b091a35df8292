package trace

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"time"

	members "github.com/mcp-bash/mcp-bash/v2/internal/json"
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
	For     *subject `json:"for,omitempty"`
	Stage   string   `json:"stage"`
	Verdict string   `json:"verdict"`
	Reason  string   `json:"reason,omitempty"`
	Notes   notes    `json:"notes,omitempty"`
	Micros  int64    `json:"micros"`
	Change
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

// notes are what a stage says, in its order.
type notes []slog.Attr

// MarshalJSON writes an object.
func (n notes) MarshalJSON() ([]byte, error) {
	out := []byte("{")
	for i, note := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, readable(note.Key)...), ':')
		out = append(out, readable(note.Value.Any())...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON has written, durations as such.
func (n *notes) UnmarshalJSON(text []byte) error {
	for member, err := range members.Members(text, '{', members.Lenient) {
		if err != nil {
			return err
		}
		note := slog.String(member.Name, string(member.Value))
		if member.Value.Kind() == '"' {
			note = slog.String(member.Name, members.Text(member.Value))
			if took, err := time.ParseDuration(note.Value.String()); err == nil {
				note = slog.Duration(member.Name, took)
			}
		}
		*n = append(*n, note)
	}
	return nil
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
		switch note.Value.Kind() {
		case slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindBool:
		default:
			note.Value = slog.StringValue(p.rules.Known(note.Value.String()))
		}
		o.Notes = append(o.Notes, note)
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
		o.Change = changeOf(s, p.rules)
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if e.Encode(o) == nil {
		p.w.Write(line.Bytes())
	}
}
