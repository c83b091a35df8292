package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/trace"
)

// maxRows is how many calls a table has.
const maxRows = 50

// Table prints the calls: first those that failed, then the slowest.
func (r *Report) Table(c *console.Console) {
	calls := slices.DeleteFunc(slices.Clone(r.Messages), func(m *Message) bool { return m.Kind != "call" })
	failed := 0
	for _, m := range calls {
		if m.Failed() {
			failed++
		}
	}
	c.Say("%s: %s, %s, %s; %d failed or never answered", r.File, console.Count(len(r.Sessions), "session"),
		console.Count(len(r.Messages), "message"), console.Count(len(calls), "call"), failed)
	slices.SortStableFunc(calls, func(a, b *Message) int {
		if a.Failed() != b.Failed() {
			return map[bool]int{true: -1, false: 1}[a.Failed()]
		}
		return cmp.Compare(b.Took, a.Took)
	})
	rows := [][]string{{"session", "id", "call", "outcome", "took", "why"}}
	for _, m := range calls[:min(len(calls), maxRows)] {
		id, outcome, took := strings.Trim(m.ID, `"`), m.Outcome, ""
		if m.From == "server" {
			id = "?" + id
		}
		if m.Exit != nil && *m.Exit != 0 {
			outcome += fmt.Sprintf(" %d", *m.Exit)
		}
		if m.Answer > 0 {
			took = trace.Span(time.Duration(m.Took * float64(time.Millisecond)))
		}
		rows = append(rows, []string{fmt.Sprint(m.Session), console.Cut(id, 16),
			console.Cut(strings.TrimSpace(m.Method+" "+m.Name), 48), outcome, took, m.Reason})
	}
	if len(r.Sessions) == 1 {
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	c.Table(rows)
	if more := len(calls) - maxRows; more > 0 {
		c.Say("and %d more; --json lists all", more)
	}
}

// Find returns the calls with an id, or else the messages of a line of the client.
func (r *Report) Find(what string) (found []*Message) {
	for _, m := range r.Messages {
		if m.Kind == "call" && (m.ID == what || m.ID == `"`+what+`"`) {
			found = append(found, m)
		}
	}
	if found != nil {
		return found
	}
	for _, m := range r.Messages {
		if m.From == "client" && m.Line > 0 && fmt.Sprint(m.Line) == what {
			found = append(found, m)
		}
	}
	return found
}
