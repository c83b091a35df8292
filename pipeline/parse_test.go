package pipeline_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

func TestALineIsOneOfFiveKinds(t *testing.T) {
	for _, c := range []struct {
		line string
		kind pipeline.Kind
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, pipeline.Call},
		{`{"jsonrpc":"2.0","method":"note"}`, pipeline.Notification},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, pipeline.Response},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`, pipeline.Response},
		{`[]`, pipeline.Malformed},
		{` [1, 2]`, pipeline.Batch},
		{`{}`, pipeline.Malformed},
		{``, pipeline.Malformed},
	} {
		is := is.New(t)
		is.Equal(pipeline.Parse([]byte(c.line)).Kind(), c.kind) // the kind of the line
	}
}

func TestIDsKeepTheirSpelling(t *testing.T) {
	for _, id := range []string{`0`, `-1`, `7`, `"7"`, `""`, `"a\u0062<&>"`, `9007199254740993`,
		`1152921504606846976`, `123456789012345678901234567890`, `1.5`, `1e2`, `1.0`} {
		is := is.New(t)
		m := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		is.Equal(m.Kind(), pipeline.Call) // a call
		answer, err := m.Answer(nil)
		is.NoErr(err)
		is.Equal(string(answer.Line()), `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`) // the id, byte for byte
	}
}

func TestMalformedMessagesAreRefusedWithAReason(t *testing.T) {
	deep := strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)
	for _, c := range []struct{ name, line, want string }{
		{"no JSON", `garbage`, `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{"truncated", `{"jsonrpc"`, `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"a"} {"jsonrpc":"2.0","id":2,"method":"b"}`, `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{"too deep", deep, `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{"NUL", "\x00", `{"jsonrpc":"2.0","error":{"code":-32700,`},
		{"number", `5`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"string", `"x"`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"null", `null`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"empty object", `{}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"no version", `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"old version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,`},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"boolean id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"object id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"array id", `{"jsonrpc":"2.0","id":[],"method":"ping"}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"two methods", `{"jsonrpc":"2.0","id":3,"method":"a","method":"b"}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`},
		{"two ids", `{"jsonrpc":"2.0","id":3,"method":"a","id":4}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"an escaped second id", `{"jsonrpc":"2.0","id":3,"method":"a","\u0069d":4}`, `{"jsonrpc":"2.0","error":{"code":-32600,`},
		{"no string method", `{"jsonrpc":"2.0","id":3,"method":7}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`},
		{"Method is not method", `{"jsonrpc":"2.0","id":3,"Method":"ping"}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`},
		{"request with result", `{"jsonrpc":"2.0","id":3,"method":"a","result":1}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`},
		{"scalar params", `{"jsonrpc":"2.0","id":3,"method":"a","params":5}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,`},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			m := pipeline.Parse([]byte(c.line))
			is.Equal(m.Kind(), pipeline.Malformed) // not a message
			answer := string(m.Refuse(m.Fault()).Line())
			is.True(strings.HasPrefix(answer, c.want)) // code, and the id where it could be read
		})
	}
}

func TestParamsPassAsTheyWereSent(t *testing.T) {
	is := is.New(t)
	const params = `{ "z":1.0, "a":12345678901234567890, "h":"<>&\u003c\ud83d", "e":1e400, "a":1 }`
	m := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":` + params + `}`))
	is.Equal(string(m.Params()), params) // key order, numbers, escapes, blanks and all
}

func TestNullParamsAreAbsent(t *testing.T) {
	is := is.New(t)
	m := pipeline.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":null}`))
	is.Equal(m.Kind(), pipeline.Call)
	is.True(m.Params() == nil) // no params
}

func TestANotificationWithBadParamsIsNeverAnswered(t *testing.T) {
	is := is.New(t)
	m := pipeline.Parse([]byte(`{"jsonrpc":"2.0","method":"note","params":5}`))
	is.Equal(m.Kind(), pipeline.Notification)
}

func TestSpellingsOfOneIDShareAKey(t *testing.T) {
	is := is.New(t)
	key := func(raw string) string {
		id, ok := pipeline.ParseID([]byte(raw))
		is.True(ok) // an id
		return id.Key()
	}
	is.Equal(key(`"a"`), key(`"\u0061"`)) // the same string
	is.True(key(`1`) != key(`"1"`))       // a number is not a string
	_, ok := pipeline.ParseID([]byte(`null`))
	is.True(!ok) // null is not an id
}

func TestItemsOfABatchAreMessages(t *testing.T) {
	is := is.New(t)
	m := pipeline.Parse([]byte(`[{"jsonrpc":"2.0","id":1,"method":"a"}, 5, [], {"jsonrpc":"2.0","method":"b"}]`))
	var kinds []string
	for item := range m.Items() {
		kinds = append(kinds, item.Kind().String())
	}
	is.Equal(strings.Join(kinds, " "), "call malformed malformed notification")
}

func TestAnArrayOfTooManyItemsIsRefusedAsAWhole(t *testing.T) {
	is := is.New(t)
	ones := func(n int) []byte { return []byte("[" + strings.Repeat("1,", n-1) + "1]") }
	is.Equal(pipeline.Parse(ones(pipeline.MaxBatch)).Kind(), pipeline.Batch)
	m := pipeline.Parse(ones(pipeline.MaxBatch + 1))
	is.Equal(m.Kind(), pipeline.Malformed)
	is.True(m.Answerable())
	is.Equal(m.Fault().Message, "invalid request: a batch has at most 1000 items, not 1001")
	is.Equal(pipeline.Parse(append(ones(5000), ',')).Fault().Code, int64(jsonrpc2.CodeParseError)) // what is no JSON is no batch
}

func TestAMessageOfSeveralLinesBecomesOne(t *testing.T) {
	is := is.New(t)
	m := pipeline.Parse([]byte("{\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"method\":\"a\"}"))
	is.Equal(string(m.Line()), `{"jsonrpc":"2.0","id":1,"method":"a"}`)
	is.Equal(m.Kind(), pipeline.Call)
}

func TestWrappedErrorsKeepTheirCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{pipeline.Errorf(-32602, "Unknown tool: %s", "x"), `{"code":-32602,"message":"Unknown tool: x"}`},
		{wrap("%w: no file %q", pipeline.ErrInvalidParams, "a"), `{"code":-32602,"message":"invalid params: no file \"a\""}`},
		{wrap("a thing went wrong"), `{"code":-32603,"message":"a thing went wrong"}`},
		{wrap("bad bytes \xff"), `{"code":-32603,"message":"bad bytes ` + "\ufffd" + `"}`},
	} {
		is := is.New(t)
		line := string(pipeline.NewErrorResponse(pipeline.ID{}, c.err).Line())
		is.Equal(line, `{"jsonrpc":"2.0","error":`+c.want+`}`)
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range hostile() {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m := pipeline.Parse(line)
		if strings.Contains(string(m.Line()), "\n") {
			t.Fatalf("%q holds a newline", m.Line())
		}
		again := pipeline.Parse(m.Line())
		if again.Kind() != m.Kind() || again.ID() != m.ID() || again.Method() != m.Method() || string(again.Params()) != string(m.Params()) {
			t.Fatalf("%q parses as another message than %q", m.Line(), line)
		}
		// White space around a line does not change its message.
		spaced := pipeline.Parse(append([]byte(" "), line...))
		if spaced.Kind() != m.Kind() || spaced.ID() != m.ID() || spaced.Method() != m.Method() || string(spaced.Params()) != string(m.Params()) || spaced.Answerable() != m.Answerable() {
			t.Fatalf("%q parses as another message than with a blank in front", line)
		}
		for range m.Items() {
		}
		if answer := m.Refuse(pipeline.ErrInternal); pipeline.Parse(answer.Line()).Kind() == pipeline.Malformed && !m.ID().IsZero() {
			t.Fatalf("the refusal %q is no response", answer.Line())
		}
	})
}
