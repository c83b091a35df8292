package replay_test

import (
	"encoding/xml"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/replay"
)

func TestAnXMLParserReadsTheOutcomeWhateverItContains(t *testing.T) {
	is := is.New(t)
	text := replay.JUnit([]replay.Played{
		{File: `a "b" <c>.ndjson`, TookSecs: 1.5},
		{File: "d", Differences: []replay.Difference{{Block: 2, Text: "-<&\x1b>\n+]]>\xff\t\r\uffff\n"}, {Session: 2, Block: 1, Text: "-\n"}}},
		{File: "e", Error: "line 1\nline \"2\""},
	})
	type outcome struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Time    string   `xml:"time,attr"`
		Failure *outcome `xml:"failure"`
		Error   *outcome `xml:"error"`
	}
	var suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	is.NoErr(xml.Unmarshal(text, &suite))
	is.Equal([]int{suite.Tests, suite.Failures, suite.Errors}, []int{3, 1, 1})
	is.Equal(suite.Cases, []testcase{
		{Name: `a "b" <c>.ndjson`, Class: "replay", Time: "1.500"},
		{Name: "d", Class: "replay", Time: "0.000", Failure: &outcome{"2 blocks differ", "block 2, -<&\ufffd>\n+]]>\ufffd\t\r\ufffd\nsession 2, block 1, -\n"}}, // XML has not all characters
		{Name: "e", Class: "replay", Time: "0.000", Error: &outcome{Message: "line 1\nline \"2\""}},
	})
}
