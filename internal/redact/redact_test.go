package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
)

func TestSecretsAreRemovedFromALine(t *testing.T) {
	known := redact.Rules{Secrets: []string{"", "s3cret-of-the-server"}}
	for name, c := range map[string]struct{ in, want string }{
		"nothing to hide":  {`{"id":1e2,"a":"\u0041","n":null,"b":[true,{}]}`, `{"id":1e2,"a":"\u0041","n":null,"b":[true,{}]}`},
		"by name":          {`{"token":"abc","n":1}`, `{"token":"[redacted]","n":1}`},
		"a number":         {`{"password":1234}`, `{"password":"[redacted]"}`},
		"all inside":       {`{"credentials":{"user":"me","more":["a",1,true]},"a":"b"}`, `{"credentials":{"user":"[redacted]","more":["[redacted]","[redacted]",true]},"a":"b"}`},
		"an array":         {`[{"a":["x"],"api_key":"k"},"x"]`, `[{"a":["x"],"api_key":"[redacted]"},"x"]`},
		"not the protocol": {`{"_meta":{"progressToken":"p"},"maxTokens":5}`, `{"_meta":{"progressToken":"p"},"maxTokens":5}`},
		"a key in _meta":   {`{"_meta":{"mcpbash/remoteToken":"abc"}}`, `{"_meta":{"mcpbash/remoteToken":"[redacted]"}}`},
		"known":            {`{"text":"it is s3cret-of-the-server!","s3cret-of-the-server":1}`, `{"text":"it is [redacted]!","[redacted]":1}`},
		"known, escaped":   {`{"text":"s3cret\u002dof-the-server"}`, `{"text":"[redacted]"}`},
		"bearer":           {`{"header":"Bearer abcdefgh.ijk"}`, `{"header":"[redacted]"}`},
		"a web token":      {`["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_"]`, `["[redacted]"]`},
		"JSON in a text":   {`{"text":"{\"token\": \"abc\", \"a\": 1}"}`, `{"text":"{\"token\":\"[redacted]\",\"a\":1}"}`},
		"JSON in prose":    {`{"text":"sent {\"token\": \"abc\"}"}`, `{"text":"sent {\"token\": [redacted]}"}`},
		"its blanks stay":  {`{"text":"{ \"a\": 1 }"}`, `{"text":"{ \"a\": 1 }"}`},
		"a name twice":     {`{"token":"a","token":"b"}`, `{"token":"[redacted]","token":"[redacted]"}`},
		"blanks around":    {" {\"a\":\t1}\r", `{"a":1}`},
		"no JSON":          {`nonsense`, `"nonsense"`},
		"nothing":          {``, `""`},
		"two values":       {`{} {}`, `"{} {}"`},
		"broken":           {`{"token":"abc","a":`, `"{\"token\":[redacted],\"a\":"`},
		"broken in a text": {`{"password":"ab\"c`, `"{\"password\":[redacted]"`},
		"no UTF-8":         {"{\"a\":\"\xff\"}", "{\"a\":\"\ufffd\"}"},
		"no UTF-8, broken": {"\xff", "\"\ufffd\""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(string(known.Line([]byte(c.in))), c.want)
		})
	}
}

func TestNestedJSONIsRedactedToALimitedDepth(t *testing.T) {
	is := is.New(t)
	line := `{"token":"abc"}`
	for range 8 {
		quoted, _ := json.AppendQuote(nil, line)
		line = `{"text":` + string(quoted) + `}`
		got := string(redact.Rules{}.Line([]byte(line)))
		is.True(!strings.Contains(got, "abc")) // at any depth
	}
}

func TestNamesOfSecretsAreRecognizedByTheirWords(t *testing.T) {
	for name, want := range map[string]bool{
		"token": true, "access_token": true, "accessToken": true, "GITHUB_TOKEN": true, "X-Auth-Token": true,
		"mcpbash/remoteToken": true, "Authorization": true, "client_secret": true, "dbPassword": true, "apiKey": true,
		"API_KEY": true, "APIKey": true, "apikey": true, "private-key": true, "Set-Cookie": true, "token2": true,
		"progressToken": false, "maxTokens": false, "tokenizer": false, "key": false, "secretary": false, "": false,
		"nextCursor": false, "monkey": false, "keyboard": false,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(redact.Named(name), want)
		})
	}
}

func FuzzALineIsOneValueWithoutTheSecret(f *testing.F) {
	for _, seed := range []string{`{"a":"XYZZY"}`, `{"XYZZY":[1]}`, `XYZZY`, `{"a":"{\"b\":\"XYZZY\"}"}`, `{"token":{"a":1}}`, "{\"a\":\"\xff\"}", `["\u0058YZZY"]`, `"{}\"0\udddd}"`} {
		f.Add(seed)
	}
	rules := redact.Rules{Secrets: []string{"XYZZY"}}
	f.Fuzz(func(t *testing.T, line string) {
		got := rules.Line([]byte(line))
		if !utf8.Valid(got) || strings.ContainsAny(string(got), "\n\r") || !json.Value(got).IsValid(json.Lenient) {
			t.Errorf("%q is no JSON value on a line", got)
		}
		if strings.Contains(string(got), "XYZZY") {
			t.Errorf("the secret shows: %s", got)
		}
	})
}

func BenchmarkLine(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"name":"you","list":[1,2,3]},"_meta":{"progressToken":1}}}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		redact.Rules{}.Line(line)
	}
}
