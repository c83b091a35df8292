package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// life prints what happened to a message and to those that were sent for it, as the trace does.
func (r *Report) life(w io.Writer, o trace.Options, about *Message) error {
	o.Ended = r.Sessions[about.Session-1].ended
	printer := trace.New(w, o)
	defer printer.Close()
	for _, e := range r.entries {
		m := e.message
		if !r.isFor(m, about) {
			continue
		}
		if e.step != nil {
			if err := printer.Recorded(e.step, m, m.parsed); err != nil {
				return err
			}
			continue
		}
		s := pipeline.Step{Turn: m, Line: m.Line, At: m.at, Stage: "chain", Message: m.parsed,
			Verdict: pipeline.VerdictEntered}
		ends := m.From == "client" && m.parsed.Kind() != pipeline.Call && m.Steps == nil
		if m.From == "server" {
			s.Out, ends = true, true
			if m.For > 0 {
				cause := r.Messages[m.For-1]
				s.Turn, s.Cause = cause, cause.parsed
			}
		}
		printer.Step(s)
		if ends {
			s.Verdict, s.Unanswered = pipeline.VerdictDone, !s.Out
			printer.Step(s)
		}
	}
	return nil
}

// isFor reports whether a message is another one, or was sent for it, or answers what was.
func (r *Report) isFor(m, about *Message) bool {
	for m != about && m.For > 0 {
		m = r.Messages[m.For-1]
	}
	return m == about
}

// maxText is how much of a message is printed for people.
const maxText = 8 << 10

// Life prints the life of a message: where it came in, what happened, the message and its answer as a whole, and
// what its sender did next.
func (r *Report) Life(w io.Writer, o trace.Options, m *Message) error {
	s := r.Sessions[m.Session-1]
	fmt.Fprintf(w, "%s\n", console.Plain(r.where(s, m)))
	if err := r.life(w, o, m); err != nil {
		return err
	}
	if !s.steps && m.From == "client" {
		fmt.Fprintln(w, "\nwhat stages and scripts did is not in it; `--record-steps` adds it to a recording")
	}
	section(w, "what came", m.parsed.Line())
	if m.Answer > 0 {
		answer := r.Messages[m.Answer-1].parsed
		section(w, "what left", answer.Line())
		var meta struct{ Stderr string }
		if json.Unmarshal(pipeline.Member(answer.Result(), "_meta"), &meta) == nil && meta.Stderr != "" {
			fmt.Fprintf(w, "\nstderr\n%s\n", console.Plain(strings.TrimRight(meta.Stderr, "\n")))
		}
	}
	if next := r.next(m); next != nil {
		fmt.Fprintf(w, "\nthe %s's next message: %s, %s later\n", next.From, console.Plain(next.title()),
			trace.Span(next.at.Sub(r.last(m).at)))
	}
	return nil
}

// where tells in which session and when a message came.
func (r *Report) where(s *Session, m *Message) string {
	text := fmt.Sprintf("message %d of %d, %s", m.Number, len(r.Messages), m.Time)
	if len(r.Sessions) > 1 {
		text += fmt.Sprintf(", session %d of %d %s", s.Number, len(r.Sessions), s.Name)
	}
	if m.Line > 0 {
		text += fmt.Sprintf(", line %d of the client", m.Line)
	}
	return text
}

// last is the answer of a message, or itself.
func (r *Report) last(m *Message) *Message {
	if m.Answer > 0 {
		return r.Messages[m.Answer-1]
	}
	return m
}

// next returns what the sender of a message has sent next, after it had the answer.
func (r *Report) next(m *Message) *Message {
	for _, next := range r.Messages[r.last(m).Number:] {
		if next.Session == m.Session && next.From == m.From && !r.isFor(next, m) {
			return next
		}
	}
	return nil
}

// title is a message in a few words.
func (m *Message) title() string {
	text := strings.TrimSpace(m.Method + " " + m.Name)
	if text == "" {
		text = m.Kind
	}
	if m.ID != "" {
		text += ", id " + m.ID
	}
	return text
}

// section prints JSON below a heading, as much as can be read.
func section(w io.Writer, heading string, text []byte) {
	var pretty bytes.Buffer
	if json.Indent(&pretty, text, "", "  ") == nil {
		text = pretty.Bytes()
	}
	shown := string(text)
	if len(shown) > maxText {
		shown = strings.ToValidUTF8(shown[:maxText], "") +
			fmt.Sprintf("\n… %d bytes more; --json prints all", len(text)-maxText)
	}
	fmt.Fprintf(w, "\n%s\n%s\n", heading, console.Plain(shown))
}
