package replay

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// A Played is a conversation with its outcome.
type Played struct {
	Name        string
	Took        time.Duration
	Differences []Difference
	Err         error // why it could not be played
}

// JUnit writes the outcome of several conversations in the format that CI
// systems read.
func JUnit(played []Played) []byte {
	var cases strings.Builder
	failures, errors := 0, 0
	for _, p := range played {
		fmt.Fprintf(&cases, `  <testcase name="%s" classname="replay" time="%.3f">`, escaped(p.Name), p.Took.Seconds())
		switch {
		case p.Err != nil:
			errors++
			fmt.Fprintf(&cases, `<error message="%s"/>`, escaped(p.Err.Error()))
		case len(p.Differences) > 0:
			failures++
			fmt.Fprintf(&cases, `<failure message="%d blocks differ">%s</failure>`, len(p.Differences), escaped(Text(p.Differences)))
		}
		cases.WriteString("</testcase>\n")
	}
	return fmt.Appendf(nil, xml.Header+`<testsuite name="mcp-bash replay" tests="%d" failures="%d" errors="%d">
%s</testsuite>
`, len(played), failures, errors, cases.String())
}

// escaped escapes a text for XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}

// Text joins the texts of differences.
func Text(differences []Difference) string {
	var b strings.Builder
	for _, d := range differences {
		fmt.Fprintf(&b, "block %d, %s", d.Block+1, d.Text)
	}
	return b.String()
}
