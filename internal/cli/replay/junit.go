package replay

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// A Played is a file with the outcome of its conversations.
type Played struct {
	File        string       `json:"file"`
	Outcome     string       `json:"outcome"` // same, differs, updated, printed or error
	TookSecs    float64      `json:"tookSecs"`
	Differences []Difference `json:"differences,omitempty"`
	Written     []string     `json:"written,omitempty"` // the lines of the server, if none were recorded
	Error       string       `json:"error,omitempty"`   // why it could not be played
}

// JUnit writes the outcome of several files in the format that CI
// systems read.
func JUnit(played []Played) []byte {
	var cases strings.Builder
	failures, errors := 0, 0
	for _, p := range played {
		fmt.Fprintf(&cases, `  <testcase name="%s" classname="replay" time="%.3f">`, escaped(p.File), p.TookSecs)
		switch {
		case p.Error != "":
			errors++
			fmt.Fprintf(&cases, `<error message="%s"/>`, escaped(p.Error))
		case len(p.Differences) > 0:
			failures++
			differ := "1 block differs"
			if n := len(p.Differences); n > 1 {
				differ = fmt.Sprintf("%d blocks differ", n)
			}
			fmt.Fprintf(&cases, `<failure message="%s">%s</failure>`, differ, escaped(Text(p.Differences)))
		}
		cases.WriteString("</testcase>\n")
	}
	return fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="mcp-bash replay" tests="%d" failures="%d" errors="%d">
%s</testsuite>
`, len(played), failures, errors, cases.String())
}

// escaped escapes a text for XML, which excludes most control characters and loses line ends in
// attributes. The package encoding/xml would cost every start of the program some time.
func escaped(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\ufffe' || r == '\uffff' {
			return utf8.RuneError
		}
		return r
	}, text)
	return strings.NewReplacer("\t", "&#9;", "\n", "&#10;", "\r", "&#13;").Replace(html.EscapeString(text))
}

// Text joins the texts of differences.
func Text(differences []Difference) string {
	var b strings.Builder
	for _, d := range differences {
		if d.Session > 0 {
			fmt.Fprintf(&b, "session %d, ", d.Session)
		}
		fmt.Fprintf(&b, "block %d, %s", d.Block, d.Text)
	}
	return b.String()
}
