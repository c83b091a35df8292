package sdk

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func TestSeveralQuestionsAreAskedAtOnce(t *testing.T) {
	is := is.New(t)
	var asked []Question
	c := channelOf(Call{Ask: func(_ context.Context, questions ...Question) []Answer {
		asked = append(asked, questions...)
		return []Answer{
			{Result: []byte(`{ "roots": [] }`)},
			{Err: errors.New(`rejected "x"`)},
			{Err: ErrUnsupported},
			{},
		}[:len(questions)]
	}})
	is.Equal(c.printed("ask 30", "--timeout", "5",
		"z", "roots/list", "{}",
		"a", "sampling/createMessage", `{ "maxTokens" : 1.0 }`,
		"é\"", "elicitation/create", `{"message":"Q?","requestedSchema":{"type":"object","properties":{}}}`,
		"", "roots/list", "{}"), `code 1: a key is empty; give each question its own key`)
	is.Equal(len(asked), 0) // all or nothing
	is.Equal(c.printed("ask 30", "--timeout", "5",
		"z", "roots/list", "{}",
		"a", "sampling/createMessage", `{ "maxTokens" : 1.0 }`,
		"é\"", "elicitation/create", `{"message":"Q?","requestedSchema":{"type":"object","properties":{}}}`,
		"none", "roots/list", "{}"),
		`{"z":{"roots":[]},"a":{"error":"rejected \"x\""},"é\"":{"error":"the client does not support it"},"none":{"error":"the client's answer is not a JSON object"}}`)
	is.Equal(len(asked), 4)
	is.Equal(asked[1].Key+" "+asked[1].Method+" "+string(asked[1].Params), `a sampling/createMessage {"maxTokens":1.0}`)

	is.Equal(channelOf(Call{}).printed("ask 30", "k", "roots/list", "{}"), `{"k":{"error":"the client does not support it"}}`)
}

func TestAnElicitationOfAURLGetsItsID(t *testing.T) {
	is := is.New(t)
	c, asked := answering(`{"action":"accept"}`, nil)
	c.printed("ask 30", "k", "elicitation/create", `{"mode":"url","message":"m","url":"https://e.org"}`)
	is.True(regexp.MustCompile(`"elicitationId":"[A-Z2-7]{26}"}$`).MatchString(*asked)) // EL-09
	c.printed("ask 30", "k", "elicitation/create", `{"mode":"url","elicitationId":"mine"}`)
	is.Equal(*asked, `elicitation/create {"mode":"url","elicitationId":"mine"}`)
}

func TestAnAnswerMustFitItsQuestion(t *testing.T) {
	is := is.New(t)
	form := Question{Method: "elicitation/create", Params: []byte(`{"requestedSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`)}
	for _, test := range []struct {
		question     Question
		result, want string
	}{
		{form, `{"action":"accept","content":{"n":1}}`, "<nil>"},
		{form, `{"action":"decline"}`, "<nil>"},
		{form, `{"action":"accept","content":{"n":"1"}}`, `the answer does not match the form: n: expected integer, got string "1"`},
		{form, `{"action":"accept"}`, `the answer does not match the form: n is missing`},
		{form, `[]`, `the client's answer is not a JSON object`},
		{Question{Method: "elicitation/create", Params: []byte(`{"mode":"url"}`)}, `{"action":"accept"}`, "<nil>"},
		{Question{Method: "roots/list", Params: []byte(`{}`)}, `{"roots":[]}`, "<nil>"},
	} {
		is.Equal(fmt.Sprint(test.question.Check([]byte(test.result))), test.want) // EL-07
		c, _ := answering(test.result, nil)
		failed := strings.HasPrefix(c.printed("ask 30", "k", test.question.Method, string(test.question.Params)), `{"k":{"error":`)
		is.Equal(failed, test.want != "<nil>") // mcp_ask reports it
	}
}

func FuzzAnswersOfClients(f *testing.F) {
	q := Question{Method: "elicitation/create", Params: []byte(`{"requestedSchema":{"type":"object","properties":{"n":{"type":"array","maxItems":1,"items":{"enum":["a"]}},"s":{"type":"string","format":"email"}}}}`)}
	for _, seed := range []string{
		`{"action":"accept","content":{"n":["a"],"s":"a@b"}}`, `{"action":"accept","content":[]}`, `{"action":"accept"} {}`,
		`{"action":"accept","content":{"n":[`, `{"action":1,"action":"accept"}`, `null`, ``, "{\"\xff\":1}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := Answer{Result: []byte(text)}.value(q)
		if o, ok := parseObject(v); !ok || !v.IsValid(json.Lenient) || q.Check([]byte(text)) != nil && o.get("error") == nil {
			t.Errorf("%q becomes %q", text, v)
		}
	})
}

func TestInvalidQuestionsAreNotAsked(t *testing.T) {
	c, asked := answering(`{}`, nil)
	runOps(t, c, []opTest{
		{"ask 30", nil, "code 1: give a key, a method and params for each question"},
		{"ask 30", []string{"k", "roots/list"}, "code 1: give a key, a method and params for each question"},
		{"ask 30", []string{"--timeout"}, "code 1: --timeout needs a value"},
		{"ask 30", []string{"--timeout", "soon", "k", "roots/list", "{}"}, `code 1: "soon" is not a number of seconds`},
		{"ask 30", []string{"k", "roots/list", "{}", "k", "roots/list", "{}"}, `code 1: duplicate key "k"; give each question its own key`},
		{"ask 30", []string{"k", "tools/call", "{}"}, `code 1: "k": unsupported method "tools/call"; use one of elicitation/create, sampling/createMessage, roots/list`},
		{"ask 30", []string{"k", "roots/list", "[]"}, `code 1: "k": the params are not a JSON object`},
		{"ask 30", []string{"k", "roots/list", "{} {}"}, `code 1: "k": the params are not a JSON object`},
		{"ask 30", []string{"k", "roots/list", `{"a":`}, `code 1: "k": the params are not a JSON object`},
		{"ask 30", []string{"k", "roots/list", ""}, `code 1: "k": the params are not a JSON object`},
		{"ask 30", []string{"k", "elicitation/create", `{"message":"Q?"}`}, `code 1: "k": requestedSchema: the schema must be {"type":"object","properties":{...}}`},
	})
	is := is.New(t)
	is.Equal(*asked, "") // the client was not asked
}

func TestQuestionsTimeOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := channelOf(Call{Ask: func(ctx context.Context, _ ...Question) []Answer {
			<-ctx.Done()
			return []Answer{{Result: []byte(`{"roots":[]}`)}, {Err: ctx.Err()}}
		}})
		began := time.Now()
		is.Equal(c.printed("ask 2.5", "a", "roots/list", "{}", "b", "roots/list", "{}"), `{"a":{"roots":[]},"b":{"error":"timed out waiting for an answer"}}`)
		is.Equal(time.Since(began), 2500*time.Millisecond)
	})
}
