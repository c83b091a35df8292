// Package trace prints what each stage of a pipeline does with each message: for people,
// the life of each message in a few lines, or with one for each stage; for programs, a JSON object for each step.
package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Options select what is printed. The zero value prints everything, for people.
type Options struct {
	Format  Format
	Only    []string // stages, methods, ids and names of tools; see [Printer.Step]
	Stages  []string // the names of all stages, to tell them apart in Only
	Secrets []string // texts that are never printed
	Colour  bool
	Columns func() int // how wide the terminal is; nil or 0: there is none
	Ended   time.Time  // of a recording whose steps are printed; zero: they happen now
}

// A Format is how steps are printed.
type Format string

const (
	Text Format = "text" // for people: what happened, as it happens
	Full Format = "full" // Text with a line for every stage, and how long it took
	JSON Format = "json" // for programs; see docs/trace.schema.json
	// Recorded is JSON as lines of a recording, of the steps that say something.
	Recorded Format = "recorded"
)

// A Printer prints steps. It is safe for concurrent use. Of params and results the
// beginning is printed at most, and what a stage changes, without secrets.
type Printer struct {
	w       io.Writer
	format  Format
	rules   redact.Rules
	colour  bool
	columns func() int

	mu   sync.Mutex
	only []only

	ended   time.Time
	lives   map[any]*life // by their turn
	began   int           // of them so far
	asked   map[string]asked
	lost    *pipeline.Message // a stage has just dropped it on its way out
	waiting bool              // remind runs
	remind  *time.Timer
}

// only is an element of Options.Only.
type only struct {
	text  string
	stage bool
	found bool
}

// New returns a printer to w, which gets whole lines.
func New(w io.Writer, o Options) *Printer {
	p := &Printer{w: w, format: o.Format, rules: redact.Rules{Secrets: o.Secrets}, colour: o.Colour, columns: o.Columns,
		ended: o.Ended, lives: make(map[any]*life), asked: make(map[string]asked)}
	for _, text := range o.Only {
		stage := text == "handler" || text == "chain" || slices.Contains(o.Stages, text)
		p.only = append(p.only, only{text: text, stage: stage, found: stage}) // a stage without steps is not an error
	}
	return p
}

// Step is the [pipeline.Tracer]. The stages in Only restrict the steps; everything else in it
// restricts the messages, to those with this method, id or name, and those that are sent on
// their behalf.
func (p *Printer) Step(s pipeline.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	about := p.about(s)
	switch p.format {
	case JSON:
		if about && p.at(s.Stage) {
			p.object(s)
		}
	case Recorded:
		switch s.Verdict {
		case pipeline.VerdictEntered, pipeline.VerdictPassed:
		case pipeline.VerdictDone:
			if s.Unanswered {
				p.object(s)
			}
		default:
			p.object(s)
		}
	default:
		p.tell(step{Step: s}, about)
	}
}

// Close prints what is not over, and elements of Only that were never found.
func (p *Printer) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.never()
	for _, o := range p.only {
		if !o.found {
			fmt.Fprintf(p.w,
				"mcp-bash: --trace-only %s: no stage has this name, and no message had such a method, id or name\n", o.text)
		}
	}
	p.only = nil
}

// at reports whether steps in a stage are wanted.
func (p *Printer) at(stage string) bool {
	return !p.anyNamed() || slices.ContainsFunc(p.only, func(o only) bool { return o.stage && o.text == stage })
}

// asksFor reports whether a stage is asked for, by its name or as all are.
func (p *Printer) asksFor(stage string) bool {
	return (p.format == Full || p.anyNamed()) && p.at(stage)
}

// anyNamed reports whether any stage is.
func (p *Printer) anyNamed() bool {
	return slices.ContainsFunc(p.only, func(o only) bool { return o.stage })
}

// about reports whether a message is wanted.
func (p *Printer) about(s pipeline.Step) bool {
	any, found := false, false
	for i, o := range p.only {
		if o.stage {
			continue
		}
		any = true
		if has(s.Message, o.text) || has(s.Cause, o.text) {
			p.only[i].found, found = true, true
		}
	}
	return !any || found
}

func has(m *pipeline.Message, text string) bool {
	if m == nil {
		return false
	}
	id := m.ID().String()
	return m.Method() == text || id == text || id == `"`+text+`"` || nameOf(m) == text
}

// nameOf returns what a message is about: the name of a tool or prompt, or a URI.
func nameOf(m *pipeline.Message) string {
	if m.Kind() != pipeline.Call {
		return ""
	}
	return pipeline.MCP.SubjectOf(m)
}

// short shortens a text from others.
func short(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
