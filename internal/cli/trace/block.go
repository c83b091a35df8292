package trace

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

const microsecond = time.Microsecond

// maxLines is how many lines of a block are kept before a part of it is printed.
const maxLines = 1000

// A block is the full trace of a message: a line for the message, and a line for each
// stage that it has entered.
//
//	10:31:02.123 in call tools/call hello, id 2, line 3, 14.2ms
//	  sanitize     passed         2µs
//	  handler      answered    13.9ms
type block struct {
	began   time.Time
	out     bool
	number  uint64
	message *pipeline.Message // the first that can be named, else the first
	cause   *pipeline.Message
	named   string // the message of the last line
	wanted  bool
	inside  int // messages of it in the chain: itself, and items
	lines   []string
}

// block returns the block of a step.
func (p *Printer) block(s pipeline.Step) *block {
	b := p.blocks[placeOf(s)]
	if b == nil {
		b = &block{began: s.At, out: s.Out, number: s.Line, cause: s.Cause}
		p.blocks[placeOf(s)] = b
	}
	return b
}

// A place is a line that is still processed, or what leaves for it.
type place struct {
	line uint64
	out  bool
}

func placeOf(s pipeline.Step) place { return place{s.Line, s.Out} }

// add records which message the step is about.
func (b *block) add(s pipeline.Step) {
	if b.message == nil || b.message.Method() == "" && s.Message.Method() != "" {
		b.message = s.Message
	}
}

// line adds the line of a step, and before it one for the message if that is not the
// message of the previous line: an item of a batch, or a message changed by a stage.
func (b *block) line(s pipeline.Step, p *Printer) {
	rules := p.rules
	if name := describe(s.Message, rules); name != b.named {
		if b.named != "" {
			b.lines = append(b.lines, "  "+name+":")
		}
		b.named = name
	}
	text := fmt.Sprintf("  %-12s %-8s %9v", s.Stage, s.Verdict, s.Took.Round(microsecond))
	if s.Reason != "" {
		text += "  " + rules.Known(s.Reason)
	}
	if s.Notes != nil {
		text += "  " + p.notes(s.Notes)
	}
	b.lines = append(b.lines, text)
	if s.To == nil {
		return
	}
	for _, line := range changeOf(s, rules).lines() {
		b.lines = append(b.lines, "    "+line)
	}
}

// print writes a block at once, so that those of concurrent messages do not mix.
func (p *Printer) print(b *block, total string) {
	if !b.wanted || len(b.lines) == 0 {
		return
	}
	var text strings.Builder
	for _, line := range append([]string{b.title(total, p.rules)}, b.lines...) {
		text.WriteString(strings.ReplaceAll(console.Plain(line), "\n", `\n`)) // methods and reasons may contain anything
		text.WriteByte('\n')
	}
	io.WriteString(p.w, text.String())
}

func (b *block) title(total string, rules redact.Rules) string {
	way := "in "
	if b.out {
		way = "out"
	}
	text := b.began.Format("15:04:05.000") + " " + way + " " + describe(b.message, rules)
	if b.cause != nil {
		text += ", for " + describe(b.cause, rules)
	}
	if b.number > 0 && !b.out {
		text += fmt.Sprintf(", line %d", b.number)
	}
	return text + ", " + total
}

// describe names a message.
func describe(m *pipeline.Message, rules redact.Rules) string {
	about := subjectOf(m, rules)
	text := about.Kind
	for _, more := range []string{about.Method, about.Name} {
		if more != "" {
			text += " " + short(more)
		}
	}
	if about.ID != "" {
		text += " id " + short(about.ID)
	}
	return text
}

// short shortens a text from others.
func short(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
