package watch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/screen"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// The attributes of rows.
const (
	plain = ""
	bold  = "1"
	dim   = "2"
	alarm = "33"
)

// Text returns a view as lines of plain text.
func Text(v View) string {
	var b strings.Builder
	for _, r := range rows(v) {
		b.WriteString(r.Text + "\n")
	}
	return b.String()
}

func rows(v View) (all []screen.Row) {
	for i, s := range v.Servers {
		if i > 0 {
			all = append(all, screen.Row{})
		}
		all = append(all, server(s)...)
	}
	for _, folder := range v.Silent {
		all = append(all, screen.Row{Attribute: alarm, Text: console.Plain(folder + ": the server does not answer")})
	}
	return all
}

// server describes one server.
func server(s status.Snapshot) []screen.Row {
	project := "no project"
	switch {
	case s.Wraps != "":
		project = "in front of " + s.Wraps
	case s.Project != "":
		project = filepath.Base(s.Project) + "  " + s.Project
	}
	client := s.Client
	if client == "" {
		client = "no client yet"
	}
	var all []screen.Row
	say := func(mark, format string, args ...any) {
		text := console.Plain(fmt.Sprintf(format, args...))
		all = append(all, screen.Row{Attribute: mark, Text: strings.NewReplacer("\n", " ", "\t", " ").Replace(text)})
	}
	say(bold, "%s", project)
	say(plain, "  pid %d · %s · since %s (%s) · mcp-bash %s", s.PID, client, clock(s.Since),
		console.Age(s.Time.Sub(s.Since)),
		s.Version)
	say(plain, "  %d calls · %d in the last minute · %d failed · %d refused · %d cancelled", s.Calls, s.PerMinute,
		s.Failed, s.Refused, s.Cancelled)
	say(plain, "  %d in flight", s.Running)
	for _, c := range s.InFlight {
		say(plain, "    %8s  %s %s  id %s", console.Age(s.Time.Sub(c.Began)), c.Method, c.Name, c.ID)
	}
	if more := s.Running - len(s.InFlight); more > 0 {
		say(plain, "    and %d more", more)
	}
	if len(s.Slowest) > 0 {
		say(plain, "  slowest tools: calls, failed, mean, longest")
	}
	for _, t := range s.Slowest {
		say(plain, "    %6d %4d %9s %9s  %s", t.Calls, t.Failed, console.Age(millis(t.MeanMS)),
			console.Age(millis(t.MaxMS)), t.Name)
	}
	if len(s.Rules) > 0 {
		say(plain, "  failed, refused and changed, by why")
	}
	for _, r := range s.Rules {
		say(plain, "    %6d  %s: %s", r.Calls, r.Outcome, r.Why)
	}
	if len(s.Errors) > 0 {
		say(plain, "  last errors, the newest first")
	}
	for _, e := range slices.Backward(s.Errors) { // what does not fit is below
		say(alarm, "    %s  %s %s %s: %s", clock(e.Began), e.Method, e.Name, e.Outcome, e.Reason)
	}
	if len(s.Log) > 0 {
		say(plain, "  log, the newest first")
	}
	for _, l := range slices.Backward(s.Log) {
		say(dim, "    %s  %s  %s", clock(l.Time), l.Level, l.Text)
	}
	return all
}

func clock(t time.Time) string { return t.Local().Format("15:04:05") }

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// wrapped wraps rows that are wider than columns.
func wrapped(rows []screen.Row, columns int) (all []screen.Row) {
	for _, r := range rows {
		for line := range strings.SplitSeq(console.Fit(r.Text, columns, 2), "\n") {
			all = append(all, screen.Row{Attribute: r.Attribute, Text: line})
		}
	}
	return all
}
