package interview_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/interview"
)

// talk asks a question of somebody who types lines.
func talk(t *testing.T, params, typed string) (answer, shown string) {
	t.Helper()
	var out strings.Builder
	a, err := interview.Ask(bufio.NewReader(strings.NewReader(typed)), console.New(&out, false), json.RawMessage(params))
	if err != nil {
		return "error: " + err.Error(), out.String()
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), out.String()
}

const form = `{"message":"Who are you?","requestedSchema":{"type":"object","properties":{
	"name":{"type":"string","title":"Your name"},
	"age":{"type":"integer","default":30},
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},
	"days":{"type":"array","items":{"enum":["mon","tue","wed"]}},
	"sure":{"type":"boolean","default":true}},"required":["name","size"]}}`

func TestAFormIsFilledInFieldByField(t *testing.T) {
	is := is.New(t)
	got, shown := talk(t, form, "Ada\n\nlarge\nmon, wed\nn\n")
	is.Equal(got, `{"action":"accept","content":{"age":30,"days":["mon","wed"],"name":"Ada","size":"l","sure":false}}`)
	is.True(strings.HasPrefix(shown, "Who are you?\n"))
	for _, prompt := range []string{"name, Your name: ", "age [30]: ", "size: s = Small, l = Large: ", "days: mon, tue, wed: ", "sure [Y/n]: "} {
		is.True(strings.Contains(shown, prompt))
	}
}

func TestWhatDoesNotFitIsAskedAgain(t *testing.T) {
	is := is.New(t)
	got, shown := talk(t, form, "\nAda\nold\n31\nhuge\ns\n\nmaybe\n\n")
	is.Equal(got, `{"action":"accept","content":{"age":31,"name":"Ada","size":"s","sure":true}}`) // days were left out
	for _, hint := range []string{"this one is needed", "write a number", `"huge" is none of them`, "write y or n"} {
		is.True(strings.Contains(shown, hint))
	}
}

func TestTheEndOfTheInputCancelsAQuestion(t *testing.T) {
	is := is.New(t)
	got, _ := talk(t, form, "Ada\n")
	is.Equal(got, `{"action":"cancel"}`)
}

func TestAPageIsOpenedOrNot(t *testing.T) {
	const page = `{"mode":"url","message":"Please sign in","url":"https://example.com/x"}`
	for typed, want := range map[string]string{"\n": "accept", "y\n": "accept", "no\n": "decline", "": "cancel"} {
		is := is.New(t)
		got, shown := talk(t, page, typed)
		is.Equal(got, `{"action":"`+want+`"}`)
		is.True(strings.Contains(shown, "https://example.com/x"))
	}
}

func TestAQuestionThatCannotBeReadIsAnError(t *testing.T) {
	for _, params := range []string{`[]`, `{"message":"m","requestedSchema":5}`, `{"message":"m","requestedSchema":{"properties":[]}}`, `{"message":"m"}`} {
		is := is.New(t)
		got, _ := talk(t, params, "")
		is.True(strings.HasPrefix(got, "error: "))
	}
}
