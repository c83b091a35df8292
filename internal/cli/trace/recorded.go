package trace

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A step is a step with what it has changed.
type step struct {
	pipeline.Step
	recorded *Change // nil: that is to be compared
}

// change returns what the stage has changed; nil: nothing.
func (s step) change(rules redact.Rules) *Change {
	if s.recorded != nil || s.To == nil {
		return s.recorded
	}
	c := changeOf(s.Step, rules)
	return &c
}

// Recorded prints a step of a recording, a line as [Recorded] writes it. m is the message that came in; its steps
// have that turn, and so has what leaves for it.
func (p *Printer) Recorded(line []byte, turn any, m *pipeline.Message) error {
	var o object
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("not a step: %w", err)
	}
	s := step{Step: pipeline.Step{Turn: turn, Session: o.Session, Line: o.Line, At: o.Time, Stage: o.Stage, Message: m,
		Verdict: pipeline.Verdict(o.Verdict), Reason: o.Reason, Took: time.Duration(o.Micros) * time.Microsecond,
		Out: o.Direction == "out", Notes: o.Notes, Unanswered: o.Verdict == string(pipeline.VerdictDone)}}
	if s.Out {
		s.Cause, s.Message = m, o.message()
	}
	if s.Verdict == pipeline.VerdictChanged {
		s.recorded = &o.Change
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	about := p.about(s.Step)
	p.tell(s, about)
	if gone := s.Verdict == pipeline.VerdictDropped || s.Verdict == pipeline.VerdictRefused; s.Out && gone {
		s.Stage, s.Verdict = "chain", pipeline.VerdictDone // as it does not leave, no line of the recording says so
		p.tell(s, about)
	}
	return nil
}

// message returns a message of which only is known what the object says.
func (o object) message() *pipeline.Message {
	members := map[string]any{"jsonrpc": "2.0"}
	if o.ID != "" {
		members["id"] = json.RawMessage(o.ID)
	}
	if o.Method != "" {
		members["method"] = o.Method
	} else {
		members["result"] = struct{}{}
	}
	line, _ := json.Marshal(members) // an id that is not JSON makes an empty line, which is a malformed message
	return pipeline.Parse(line)
}
