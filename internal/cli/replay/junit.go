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
func JUnit(played []Played) ([]byte, error) {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Time    string   `xml:"time,attr"`
		Failure *failure `xml:"failure"`
		Error   *failure `xml:"error"`
	}
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Cases    []testcase `xml:"testcase"`
	}{Name: "mcp-bash replay", Tests: len(played)}
	for _, p := range played {
		c := testcase{Name: p.Name, Class: "replay", Time: fmt.Sprintf("%.3f", p.Took.Seconds())}
		switch {
		case p.Err != nil:
			suite.Errors++
			c.Error = &failure{Message: p.Err.Error()}
		case len(p.Differences) > 0:
			suite.Failures++
			c.Failure = &failure{Message: fmt.Sprintf("%d blocks differ", len(p.Differences)), Text: Text(p.Differences)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	data, err := xml.MarshalIndent(suite, "", "  ")
	return append([]byte(xml.Header), append(data, '\n')...), err
}

// Text joins the texts of differences.
func Text(differences []Difference) string {
	var b strings.Builder
	for _, d := range differences {
		fmt.Fprintf(&b, "block %d, %s", d.Block+1, d.Text)
	}
	return b.String()
}
