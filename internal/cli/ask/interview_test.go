package ask

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// talk asks a question of somebody who types lines.
func talk(t *testing.T, params, typed string) (answer, shown string) {
	t.Helper()
	var out strings.Builder
	a, err := elicit(bufio.NewReader(strings.NewReader(typed)), console.New(&out, false), json.RawMessage(params))
	if err != nil {
		return "error: " + err.Error(), out.String()
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), out.String()
}

const question = `{"message":"Who are you?","requestedSchema":{"type":"object","properties":{
	"name":{"type":"string","title":"Your name"},
	"age":{"type":"integer","default":30,"minimum":18,"maximum":99},
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},
	"days":{"type":"array","maxItems":2,"items":{"enum":["mon","tue","wed"]}},
	"sure":{"type":"boolean","default":true}},"required":["name","size"]}}`

func TestAFormIsFilledInFieldByField(t *testing.T) {
	is := is.New(t)
	got, shown := talk(t, question, "Ada\n\nlarge\nmon, wed\nn\n")
	is.Equal(got, `{"action":"accept","content":{"age":30,"days":["mon","wed"],"name":"Ada","size":"l","sure":false}}`)
	is.True(strings.HasPrefix(shown, "Who are you?\n"))
	for _, prompt := range []string{
		"name, Your name (required): ", "age (18 to 99) [30]: ", "sure [Y/n]: ",
		"  1  Small\n  2  Large\nsize (a number from 1 to 2, required): ",
		"  1  mon\n  2  tue\n  3  wed\ndays (numbers from 1 to 3, with commas between, at most 2 of them): ",
	} {
		is.True(strings.Contains(shown, prompt))
	}
}

func TestWhatDoesNotFitIsAskedAgain(t *testing.T) {
	is := is.New(t)
	got, shown := talk(t, question, "\nAda\nold\n31\nhuge\ns\n\nmaybe\n\n")
	is.Equal(got, `{"action":"accept","content":{"age":31,"name":"Ada","size":"s","sure":true}}`) // days were left out
	for _, hint := range []string{"required", "write a number", `"huge" is not one of the choices`, "write y or n"} {
		is.True(strings.Contains(shown, hint))
	}
}

func TestTheEndOfTheInputCancelsAQuestion(t *testing.T) {
	is := is.New(t)
	got, _ := talk(t, question, "Ada\n")
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

func TestAWrongAnswerIsAskedAgainAlone(t *testing.T) {
	for _, c := range []struct{ schema, typed, hint, want string }{
		{`"type":"integer","minimum":18,"maximum":99`, "17\n100\n18", "expected at least 18, got 17", "18"},
		{`"type":"integer"`, "1.5\n2", "expected integer, got number 1.5", "2"},
		{`"type":"number","minimum":0.5`, "0\n0.5", "expected at least 0.5, got 0", "0.5"},
		{`"type":"string","maxLength":3`, "日本語だ\n日本語", "expected at most 3 characters, got 4", `"日本語"`},
		{`"type":"string","format":"email"`, "ada\nada@example.com", "write an address, as in ada@example.com", `"ada@example.com"`},
		{`"type":"string","format":"uri"`, "example.com\nhttps://example.com", "write an absolute URI, as in https://example.com", `"https://example.com"`},
		{`"type":"string","format":"date"`, "31.1.2026\n2026-01-31", "write a date, as in 2026-01-31", `"2026-01-31"`},
		{`"type":"string","format":"date-time"`, "now\n2026-01-31T12:00:00Z", "write a date and time, as in 2026-01-31T12:00:00Z", `"2026-01-31T12:00:00Z"`},
		{`"type":"string","enum":["a","b"]`, "3\n2", `"3" is not one of the choices`, `"b"`},
		{`"type":"string","enum":["2","1"]`, "x\n1", `"x" is not one of the choices`, `"1"`}, // a value goes before a number
		{`"type":"array","minItems":2,"items":{"enum":["a","b"]}`, "1\n1,2", "expected at least 2 items, got 1", `["a","b"]`},
	} {
		is := is.New(t)
		got, shown := talk(t, `{"message":"m","requestedSchema":{"properties":{"first":{"type":"string"},"x":{`+c.schema+`}}}}`, "once\n"+c.typed+"\n")
		is.Equal(got, `{"action":"accept","content":{"first":"once","x":`+c.want+`}}`)
		is.True(strings.Contains(shown, c.hint))
		is.Equal(strings.Count(shown, "first"), 1)
	}
}
