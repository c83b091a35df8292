package trace

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An object is the JSON trace of a step. docs/trace.schema.json describes it.
type object struct {
	Time      time.Time `json:"time"`
	Line      uint64    `json:"line"`
	Direction string    `json:"direction"`
	subject
	For     *subject `json:"for,omitempty"`
	Stage   string   `json:"stage"`
	Verdict string   `json:"verdict"`
	Reason  string   `json:"reason,omitempty"`
	Micros  int64    `json:"micros"`
	change
}

// A subject identifies the message of a step, or the message that caused it.
type subject struct {
	Kind   string `json:"kind"`
	Method string `json:"method,omitempty"`
	Name   string `json:"name,omitempty"`
	ID     string `json:"id,omitempty"`
}

func subjectOf(m *pipeline.Message) subject {
	return subject{m.Kind().String(), m.Method(), short(nameOf(m)), m.ID().String()}
}

// object prints a step on a line.
func (p *Printer) object(s pipeline.Step) {
	o := object{
		Time:      s.At.UTC(),
		Line:      s.Line,
		Direction: "in",
		subject:   subjectOf(s.Message),
		Stage:     s.Stage,
		Verdict:   string(s.Verdict),
		Reason:    s.Reason,
		Micros:    s.Took.Microseconds(),
	}
	if s.Out {
		o.Direction = "out"
	}
	if s.Cause != nil {
		cause := subjectOf(s.Cause)
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
