package trace

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A life is the trace for people of a message that came in: a line when it comes, one for each stage that
// does something with it, one a second while it waits, and one for its end.
//
//	10:31:02.123 →   5 tools/call wait {"s":3}
//	10:31:02.128     5 workers slot after 5 ms
//	10:31:02.129     5 handler pid 4711
//	10:31:03.129     5 … still in handler 1.0 s
//	10:31:05.131 ←   5 failed exit 7 3.01 s "no such host"
type life struct {
	number  int // in the order in which they came
	message *pipeline.Message
	label   string // its id
	began   time.Time
	told    time.Time // of the last line
	wanted  bool
	opened  bool   // its first line is printed
	parts   bool   // its items have lives of their own
	at      string // where it is
	by      string // the stage that has refused or dropped it
	noted   string // the stage that has said something of it
	reply   *pipeline.Message
}

const (
	nobody      = "·" // in place of an id
	again       = time.Second
	mostWaiting = 5        // are told at a time
	maxShown    = 16 << 10 // bytes of params or a result; of longer ones the size
	noTerminal  = 120      // columns
)

// An asked is a call of ours that the client has not answered yet.
type asked struct {
	method string
	began  time.Time
	by     *life // the message that it was sent for
}

// tell prints what is worth a line in a step.
func (p *Printer) tell(s step, about bool) {
	if s.Out {
		p.leaves(s, about)
		return
	}
	l := p.lives[s.Turn]
	if l == nil {
		l = p.begin(s, about)
	}
	if p.asksFor(s.Stage) {
		p.open(l)
	}
	switch s.Verdict {
	case pipeline.VerdictEntered:
		if s.Stage != "chain" {
			l.at = s.Stage
		}
	case pipeline.VerdictSplit:
		l.parts = true
	case pipeline.VerdictRefused, pipeline.VerdictDropped:
		l.by = s.Stage
		answers := s.Verdict == pipeline.VerdictRefused && l.message.Answerable()
		last := answers || l.message.Kind() == pipeline.Call || l.noted == s.Stage // its last line says so
		if last && p.format != Full {
			return
		}
		p.did(l, s)
	case pipeline.VerdictDone:
		if s.Unanswered {
			p.ends(l, s)
		}
	case pipeline.VerdictAnswered:
		l.at = "chain"
		if s.Stage != "handler" || p.asksFor(s.Stage) {
			p.did(l, s)
		}
	default:
		p.did(l, s)
	}
}

// begin is the first line of a message.
func (p *Printer) begin(s step, about bool) *life {
	p.began++
	l := &life{number: p.began, message: s.Message, label: p.label(s.Message), began: s.At, told: s.At,
		wanted: about, at: s.Stage}
	p.lives[s.Turn] = l
	if !p.anyNamed() {
		p.open(l)
	}
	if !p.waiting && p.ended.IsZero() {
		p.waiting = true
		p.remind = time.AfterFunc(again, p.saysAgain)
	}
	return l
}

// open prints the first line of a message, unless that is printed.
func (p *Printer) open(l *life) {
	if l.opened || !l.wanted {
		return
	}
	l.opened = true
	m := l.message
	switch m.Kind() {
	case pipeline.Call, pipeline.Notification:
		p.line(l.began, "→", l.label, "", p.describe(m))
	case pipeline.Response:
		text := p.outcome(m, 0) + ", an answer to nothing that was asked"
		if a, ok := p.asked[m.ID().Key()]; ok {
			delete(p.asked, m.ID().Key())
			text = p.outcome(m, l.began.Sub(a.began)) + ", the answer to " + a.method + p.caused(a.by)
			a.by.at = "handler"
		}
		p.line(l.began, "→", "?"+l.label, "", text)
	default:
		p.line(l.began, "→", nobody, "", fmt.Sprintf("%s, %d bytes", m.Kind(), len(m.Line())))
	}
}

// ends is the last line of a message that is not answered: of a call, and of what took long.
func (p *Printer) ends(l *life, s step) {
	delete(p.lives, s.Turn)
	took := s.At.Add(s.Took).Sub(l.began)
	switch {
	case !l.opened || l.parts:
	case l.message.Kind() == pipeline.Call:
		p.line(s.At.Add(s.Took), "←", l.label, yellow,
			fmt.Sprintf("not answered: %s has dropped it, %s", cmp.Or(l.by, "handler"), Span(took)))
	case took >= again:
		p.line(s.At.Add(s.Took), " ", l.label, "", "done "+Span(took))
	}
}

// leaves prints what is worth a line of a message on its way out.
func (p *Printer) leaves(s step, about bool) {
	l := p.lives[s.Turn]
	if l == nil {
		l = &life{message: s.Message, label: nobody, wanted: about, opened: about && !p.anyNamed()}
		if s.Cause != nil {
			l.label = p.label(s.Cause)
		}
	}
	if p.asksFor(s.Stage) {
		p.open(l)
	}
	answers := s.Message.Kind() == pipeline.Response
	end := s.At.Add(s.Took)
	switch s.Verdict {
	case pipeline.VerdictEntered:
		if answers && s.Stage != "chain" {
			l.at = s.Stage + ", on its way out"
		}
		if s.Stage == "chain" && s.Message.Kind() == pipeline.Call && l.opened {
			label := "?" + p.label(s.Message)
			p.line(s.At, "←", label, "", p.describe(s.Message)+p.caused(l))
			l.at, l.told = label+" "+short(p.rules.Known(s.Message.Method())), s.At
			p.asked[s.Message.ID().Key()] = asked{short(p.rules.Known(s.Message.Method())), s.At, l}
		}
	case pipeline.VerdictDropped, pipeline.VerdictRefused:
		p.lost = s.Message
		if answers {
			l.by = s.Stage
		} else {
			p.did(l, s)
		}
	case pipeline.VerdictDone:
		switch {
		case answers:
			p.answered(l, s, end)
		case s.Message.Kind() == pipeline.Notification && s.Message != p.lost && l.opened:
			p.line(end, "←", l.label, "", p.describe(s.Message))
		}
		p.lost = nil
	default:
		if s.To != nil && answers {
			l.reply = s.To
		}
		p.did(l, s)
	}
}

// caused names the message that another is sent for.
func (p *Printer) caused(l *life) string {
	if l.label == nobody {
		return ""
	}
	return " for " + l.label
}

// answered is the last line of a message that is answered.
func (p *Printer) answered(l *life, s step, end time.Time) {
	delete(p.lives, s.Turn)
	if !l.opened {
		return
	}
	if s.Message == p.lost {
		p.line(end, "←", l.label, yellow,
			fmt.Sprintf("not sent: %s has dropped the answer, %s", l.by, Span(end.Sub(l.began))))
		return
	}
	reply := s.Message
	if l.reply != nil {
		reply = l.reply
	}
	text, paint := p.outcome(reply, end.Sub(l.began)), ""
	switch {
	case reply.Fault() != nil && l.by != "" && l.by != "handler":
		text, paint = strings.Replace(text, "refused", "refused by "+l.by, 1), red
	case strings.HasPrefix(text, "refused"), strings.HasPrefix(text, "failed"):
		paint = red
	}
	p.line(end, "←", l.label, paint, text)
}

// did prints what a stage did, or says.
func (p *Printer) did(l *life, s step) {
	asked := p.asksFor(s.Stage)
	if s.Verdict == pipeline.VerdictPassed && !asked || p.anyNamed() && !asked {
		return
	}
	text := string(s.Verdict)
	if p.format == Full {
		if text += " " + s.Took.Round(time.Microsecond).String(); s.Out {
			text += " on its way out"
		}
	}
	switch {
	case s.Verdict == pipeline.VerdictNoted:
		text, l.noted, l.at = p.notes(s.Notes), s.Stage, s.Stage
	case s.Reason != "":
		text += `: ` + short(p.rules.Known(s.Reason))
	case s.Out && s.Message.Method() != "":
		text += " " + short(p.rules.Known(s.Message.Method()))
	}
	var more []string
	if c := s.change(p.rules); c != nil {
		more = c.lines()
	}
	if rest := len(more) - 3; rest > 1 && p.format != Full {
		more = append(more[:3], fmt.Sprintf("and %d more changes", rest))
	}
	if more == nil {
		more = []string{""}
	}
	p.open(l)
	for _, change := range more {
		if l.opened {
			at := s.At.Add(s.Took)
			l.told = at
			p.line(at, " ", l.label, "", strings.TrimSpace(s.Stage+" "+text+" "+change))
		}
	}
}

// notes are the notes of a stage in words.
func (p *Printer) notes(notes []slog.Attr) string {
	var words []string
	for _, note := range notes {
		value := note.Value.String()
		if note.Value.Kind() == slog.KindDuration {
			value = Span(note.Value.Duration())
		}
		words = append(words, strings.TrimSpace(note.Key+" "+short(p.rules.Known(value))))
	}
	return strings.Join(words, " · ")
}

// saysAgain names the messages that have been waiting for a second more.
func (p *Printer) saysAgain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var waiting []*life
	for _, l := range p.lives {
		if l.opened && !l.parts && now.Sub(l.told) >= again {
			waiting = append(waiting, l)
		}
	}
	slices.SortFunc(waiting, func(a, b *life) int { return cmp.Compare(a.number, b.number) })
	for i, l := range waiting {
		l.told = now
		if i < mostWaiting {
			p.line(now, " ", l.label, yellow, fmt.Sprintf("… still in %s %.1f s", l.at, now.Sub(l.began).Seconds()))
		}
	}
	if more := len(waiting) - mostWaiting; more > 0 {
		p.line(now, " ", nobody, yellow, fmt.Sprintf("… and %s more", console.Count(more, "message")))
	}
	next := again
	for _, l := range p.lives {
		next = min(next, again-now.Sub(l.told))
	}
	if p.waiting = len(p.lives) > 0; p.waiting {
		p.remind.Reset(max(next, 10*time.Millisecond))
	}
}

// never names the messages that were not answered before the end.
func (p *Printer) never() {
	if p.remind != nil {
		p.remind.Stop()
	}
	lives := slices.Collect(maps.Values(p.lives))
	slices.SortFunc(lives, func(a, b *life) int { return cmp.Compare(a.number, b.number) })
	now := p.ended
	if now.IsZero() {
		now = time.Now()
	}
	for _, l := range lives {
		if l.opened && !l.parts {
			last := ""
			if l.at != "chain" { // of a recording without steps, only that is known
				last = ", last in " + l.at
			}
			p.line(now, " ", l.label, yellow, "never over"+last+", "+Span(now.Sub(l.began)))
		}
	}
	clear(p.lives)
}

// outcome is how a call ended, and what its answer has.
func (p *Printer) outcome(answer *pipeline.Message, after time.Duration) string {
	took := Span(after)
	if fault := answer.Fault(); fault != nil {
		return fmt.Sprintf("refused %d %s %q", fault.Code, took, short(p.rules.Known(fault.Message)))
	}
	e := middleware.EndOf(pipeline.MCP, answer)
	text := e.Outcome
	if e.Exit != nil && *e.Exit != 0 {
		text += fmt.Sprintf(" exit %d", *e.Exit)
	}
	if e.Reason != "" {
		return fmt.Sprintf("%s %s %q", text, took, p.rules.Known(e.Reason))
	}
	return text + " " + took + " " + p.shown(answer.Result())
}

// describe is what a call or notification is about.
func (p *Printer) describe(m *pipeline.Message) string {
	text := short(p.rules.Known(m.Method()))
	params := m.Params()
	if name := nameOf(m); name != "" {
		text += " " + short(p.rules.Known(name))
		params = pipeline.Member(params, "arguments")
	}
	return strings.TrimSpace(text + " " + p.shown(params))
}

// shown is JSON without its secrets, or its size.
func (p *Printer) shown(value []byte) string {
	switch {
	case len(value) == 0:
		return ""
	case len(value) > maxShown:
		return fmt.Sprintf("%d bytes", len(value))
	}
	return string(p.rules.Line(value))
}

// label is the id of a message as people write it.
func (p *Printer) label(m *pipeline.Message) string {
	id := subjectOf(m, p.rules).ID
	if id == "" {
		return nobody
	}
	return console.Cut(console.Plain(strings.Trim(id, `"`)), 12)
}

const (
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	dim    = "\x1b[2m"
	ended  = "\x1b[0m"
)

// line prints a line, as much of it as fits.
func (p *Printer) line(at time.Time, arrow, label, paint, text string) {
	columns := noTerminal
	if p.columns != nil && p.columns() > 0 {
		columns = p.columns()
	}
	when := at.Format("15:04:05.000")
	label += strings.Repeat(" ", max(0, 3-len([]rune(label))))
	text = strings.TrimRight(strings.ReplaceAll(console.Plain(text), "\n", `\n`), " ")
	text = console.Cut(arrow+" "+label+" "+text, columns-len(when)-1)
	if p.colour {
		when = dim + when + ended
		if paint != "" {
			text = paint + text + ended
		}
	}
	fmt.Fprintf(p.w, "%s %s\n", when, text)
}

// Span is a duration as people write it.
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
