// Package trace prints what each stage of a pipeline does with each message: for people,
// a block for each message; for programs, a JSON object for each step.
package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Options select what is printed. The zero value prints everything, for people.
type Options struct {
	JSON    bool     // for programs; see docs/trace.schema.json
	Only    []string // stages, methods, ids and names of tools; see [Printer.Step]
	Stages  []string // the names of all stages, to tell them apart in Only
	Secrets []string // texts that are never printed
}

// A Printer prints steps. It is safe for concurrent use. Of params and results, only what a
// stage changes is printed, without secrets.
type Printer struct {
	w     io.Writer
	json  bool
	rules redact.Rules

	mu   sync.Mutex
	only []only
	in   map[uint64]*block // of lines that are still processed
	out  map[uint64]*block // of what leaves for them
}

// only is an element of Options.Only.
type only struct {
	text  string
	stage bool
	found bool
}

// New returns a printer to w, which gets whole lines.
func New(w io.Writer, o Options) *Printer {
	p := &Printer{w: w, json: o.JSON, rules: redact.Rules{Secrets: o.Secrets}, in: make(map[uint64]*block),
		out: make(map[uint64]*block)}
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
	if p.json {
		if about && p.at(s.Stage) {
			p.object(s)
		}
		return
	}
	b := p.block(s)
	b.wanted = b.wanted || about
	if s.Stage != "chain" {
		if b.add(s); p.at(s.Stage) {
			b.line(s, p.rules)
		}
	}
	switch {
	case s.Verdict == pipeline.VerdictDone:
		p.print(b, s.At.Add(s.Took).Sub(b.began).Round(microsecond).String())
		p.forget(s)
	case len(b.lines) >= maxLines:
		p.print(b, "not over yet")
		b.lines = nil
	}
}

// Close prints unfinished blocks, and elements of Only that were never found.
func (p *Printer) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range slices.Sorted(maps.Keys(p.in)) {
		p.print(p.in[line], "never over")
	}
	clear(p.in)
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
	any := false
	for _, o := range p.only {
		if o.stage && o.text == stage {
			return true
		}
		any = any || o.stage
	}
	return !any
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
func nameOf(m *pipeline.Message) (name string) {
	if m.Kind() != pipeline.Call {
		return ""
	}
	for _, member := range []string{"name", "uri"} {
		if json.Unmarshal(pipeline.Member(m.Params(), member), &name) == nil && name != "" {
			return name
		}
	}
	return ""
}
