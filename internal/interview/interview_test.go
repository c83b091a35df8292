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
	for _, prompt := range []string{"name, Your name (required): ", "age [30]: ", "size (required): 1) s = Small, 2) l = Large: ", "days (several, with commas between them): 1) mon, 2) tue, 3) wed: ", "sure [Y/n]: "} {
		is.True(strings.Contains(shown, prompt))
	}
}

func TestWhatDoesNotFitIsAskedAgain(t *testing.T) {
	is := is.New(t)
	got, shown := talk(t, form, "\nAda\nold\n31\nhuge\ns\n\nmaybe\n\n")
	is.Equal(got, `{"action":"accept","content":{"age":31,"name":"Ada","size":"s","sure":true}}`) // days were left out
	for _, hint := range []string{"required", "write a number", `"huge" is not one of the choices`, "write y or n"} {
		is.True(strings.Contains(shown, hint))
	}
}

func TestChoicesCanBeTypedAsNumbers(t *testing.T) {
	is := is.New(t)
	got, _ := talk(t, form, "Ada\n\n2\n1,3, tue\n\n")
	is.Equal(got, `{"action":"accept","content":{"age":30,"days":["mon","wed","tue"],"name":"Ada","size":"l","sure":true}}`)
	got, _ = talk(t, `{"message":"How many?","requestedSchema":{"properties":{"n":{"type":"string","enum":["2","1"]}}}}`, "3\n2\n")
	is.Equal(got, `{"action":"accept","content":{"n":"2"}}`) // a value comes before a number
}

func TestBoundsAreShownAndKept(t *testing.T) {
	is := is.New(t)
	got, shown := talk(t, `{"message":"Order","requestedSchema":{"properties":{
		"many":{"type":"integer","minimum":1,"maximum":9},
		"price":{"type":"number","maximum":2.5},
		"name":{"type":"string","minLength":2},
		"days":{"type":"array","maxItems":1,"items":{"enum":["mon","tue"]}}},"required":["many"]}}`,
		"0\n10\n1.5\n9\n2.51\n2.5\né\néé\nmon,tue\ntue\n")
	is.Equal(got, `{"action":"accept","content":{"days":["tue"],"many":9,"name":"éé","price":2.5}}`)
	for _, text := range []string{
		"many (1 to 9; required): ", "must be 1 to 9", "write a whole number", "price (at most 2.5): ", "must be at most 2.5",
		"name (at least 2 characters): ", "must be at least 2 characters", "days (several, with commas between them; at most 1 of them): 1) mon, 2) tue: ", "must be at most 1 of them",
	} {
		if !strings.Contains(shown, text) {
			t.Errorf("%q is not in:\n%s", text, shown)
		}
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
