//go:build unix

package providers

import (
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/uritemplate"
)

// templateOf returns a template whose script runs these lines.
func templateOf(t testing.TB, pattern, lines string) *Template {
	t.Helper()
	template, err := NewTemplate(pattern, scriptOf(t, lines))
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func TestATemplateGivesItsVariablesToItsScript(t *testing.T) {
	show := `printf '%s|%s|%s|%s' "$MCP_RESOURCE_URI" "$MCP_RESOURCE_TEMPLATE" "$MCP_RESOURCE_VARS_JSON" "$MCP_RESOURCE_VAR_USER_ID"`
	for _, c := range []struct{ pattern, uri, json, id string }{
		{"db://users/{user_id}", "db://users/7", `{"user_id":"7"}`, "7"},
		{"db://users/{user.id}", "db://users/7", `{"user.id":"7"}`, "7"},
		{"db://{table}/{user_id}", "db://a/b", `{"table":"a","user_id":"b"}`, "b"},
		{"db://users/{user_id}", "db://users/..%2F..%2Fetc", `{"user_id":"../../etc"}`, "../../etc"},
		{"db://users/{user_id}", "db://users/%24%28id%29%22%27", `{"user_id":"$(id)\"'"}`, `$(id)"'`},
		{"db://files{/path*}", "db://files/a/b%20c", `{"path":["a","b c"]}`, ""},
		{"db://files{/path*}", "db://files/a", `{"path":["a"]}`, ""}, // a list of one item is a list
		{"db://q{?a,b}", "db://q?a=1&b=2", `{"a":"1","b":"2"}`, ""},
		{"db://q{?user_id,b*}", "db://q?user_id=&b=1", `{"b":["1"],"user_id":""}`, ""},
		{"db://q{?a}", "db://q?a=1,2", `{"a":"1,2"}`, ""},
		{"db://q/{user_id}", "db://q/a,b", `{"user_id":"a,b"}`, "a,b"},
		{"db://q/{user_id*}", "db://q/a,b", `{"user_id":["a","b"]}`, "a,b"},
		{"db://q/{user_id}", "db://q/it's%20(ok)!", `{"user_id":"it's (ok)!"}`, "it's (ok)!"},
		{"db://q{?a}", "db://q?a=1%2C2", `{"a":"1,2"}`, ""},
		{"db://q{?a}", "db://q", `{}`, ""},
	} {
		is := is.New(t)
		contents, err := templateOf(t, c.pattern, show).Read(t.Context(), c.uri)
		is.NoErr(err)
		is.Equal(*contents[0].Text, c.uri+"|"+c.pattern+"|"+c.json+"|"+c.id)
	}
}

func TestAURIThatDoesNotMatchIsNotFound(t *testing.T) {
	template := templateOf(t, "db://users/{id}", "echo no")
	for _, uri := range []string{"db://users", "db://users/1/2", "db://users/1?x", "DB://users/1", "x", ""} {
		is := is.New(t)
		is.True(!template.Matches(uri))
		is.Equal(read(t, template, uri), "resource not found: it does not match db://users/{id}") // RT-03
	}
}

func TestAnInvalidVariableIsRefused(t *testing.T) {
	template := templateOf(t, "db://users/{id}", "echo no")
	for _, uri := range []string{"db://users/a%00b", "db://users/%ff"} {
		is := is.New(t)
		is.Equal(read(t, template, uri), "invalid resource URI: id contains NUL or is not UTF-8")
	}
}

func TestAnInvalidTemplateIsAnError(t *testing.T) {
	for _, pattern := range []string{"db://{", "db://{}", "db://{a b}", strings.Repeat("a", uritemplate.MaxBytes+1)} {
		is := is.New(t)
		_, err := NewTemplate(pattern, Script{})
		is.True(err != nil)
		is.True(strings.Contains(err.Error(), "template"))
	}
}

func TestMatchingALongURIIsFast(t *testing.T) {
	is := is.New(t)
	template := templateOf(t, "db://{a}{b}{c}{/d*}{?e,f*}", "")
	longest := "db://" + strings.Repeat("a", uritemplate.MaxBytes-5)
	began := time.Now()
	template.Matches(longest)
	is.True(time.Since(began) < 20*time.Second) // takes milliseconds on an idle machine
	is.True(!template.Matches(longest + "a"))   // too long to be matched
}
