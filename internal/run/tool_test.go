package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestWrongArgumentsAreToldAndNothingStarts(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	tool := newTool(t, r, "#!/bin/sh\ntouch started")
	tool.InputSchema = json.Value(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["name"]}`)
	c := new(heard).call(tool)
	c.Args = json.RawMessage(`{"n":"x"}`)
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	got := string(encode(result))
	is.True(strings.HasPrefix(got, `{"content":[{"type":"text","text":"Invalid arguments for tool probe:\n- `)) // told
	is.True(strings.Contains(got, `name`) && strings.Contains(got, `/n`))                                       // every fault
	_, err = os.Stat(filepath.Join(r.Root, "started"))
	is.True(errors.Is(err, os.ErrNotExist)) // the script did not run
}

func TestArgumentsOfAnotherTypeAreReadAsWhatTheyMeanUnlessTheOperatorIsStrict(t *testing.T) {
	for args, want := range map[string]string{
		`{"n":"5","l":"[1,2]"}`: `{"n":5,"l":[1,2]}`,
		`{"n":null}`:            `{}`,
		`{"n":"five"}`:          ``,
	} {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprint(args, strict), func(t *testing.T) {
				is := is.New(t)
				r := newRuntime(t)
				r.Strict = strict
				tool := newTool(t, r, "#!/bin/sh\nprintf %s \"$MCP_TOOL_ARGS_JSON\"")
				tool.InputSchema = json.Value(`{"type":"object","properties":{"n":{"type":"integer"},"l":{"type":"array"}}}`)
				c := new(heard).call(tool)
				c.Args = json.RawMessage(args)
				result, err := r.Call(t.Context(), c)
				is.NoErr(err)
				is.Equal(result.IsError, strict || want == "")
				if result.IsError {
					is.True(strings.Contains(string(encode(result)), "at /n: expected integer, got ")) // what the client sent
					return
				}
				is.Equal(string(result.StructuredContent), want)
				is.Equal(result.Meta["converted"], strings.Count(args, ":")) // for the call log
			})
		}
	}
}

func TestARefusalListsOnlyWhatCannotBeReadAsWhatItMeans(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	tool := newTool(t, r, "#!/bin/sh")
	tool.InputSchema = json.Value(`{"properties":{"n":{"type":"integer","maximum":4},"s":{"type":"string"},"l":{}},` +
		`"additionalProperties":false}`)
	refusal := func(args string) string {
		c := new(heard).call(tool)
		c.Args = json.RawMessage(args)
		result, err := r.Call(t.Context(), c)
		is.NoErr(err)
		return string(encode(result))
	}
	const begin = `{"content":[{"type":"text","text":"Invalid arguments for tool probe:\n- at `
	is.Equal(refusal(`{"s":5,"n":"3","zz":1}`),
		begin+`/zz: unexpected property \"zz\", allowed: \"l\", \"n\", \"s\""}],"isError":true}`)
	is.Equal(refusal(`{"n":"5"}`), begin+`/n: expected at most 4, got 5"}],"isError":true}`)
	r.Strict = true
	is.True(strings.Contains(refusal(`{"s":5,"zz":1}`), "at /s: expected string, got number 5"))
}

func TestArgumentsArriveByteForByte(t *testing.T) {
	const script = "#!/bin/sh\nif [ -n \"$MCP_TOOL_ARGS_JSON\" ]; then printf %s \"$MCP_TOOL_ARGS_JSON\"; else cat \"$MCP_TOOL_ARGS_FILE\"; fi"
	for _, args := range []string{
		`{"a":"$(touch x) ` + "`id`" + ` \" ' \\ \n","z":1.0, "b":12345678901234567890}`,
		`{"big":"` + strings.Repeat("é", 100_000) + `"}`,
	} {
		is := is.New(t)
		r := newRuntime(t)
		c := new(heard).call(newTool(t, r, script))
		c.Args = json.RawMessage(args)
		result, err := r.Call(t.Context(), c)
		is.NoErr(err)
		is.Equal(string(result.StructuredContent), args) // unchanged
	}
}

func TestAScriptThatCannotStartIsAResultThatSaysWhatToDo(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	tool := newTool(t, r, "neither a program nor a script\n")
	is.NoErr(os.Rename(tool.Path, filepath.Join(filepath.Dir(tool.Path), "tool")))
	tool.Path = filepath.Join(filepath.Dir(tool.Path), "tool")
	result, err := r.Call(t.Context(), new(heard).call(tool))
	is.NoErr(err)
	is.True(result.IsError)
	is.True(strings.Contains(string(result.Content[0].JSON()), "#!")) // says what to do
}

func TestStdinOfAToolIsEmptyAndItRunsInTheProject(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\ncat\npwd -P")))
	is.NoErr(err)
	root, _ := filepath.EvalSymlinks(r.Root)
	is.Equal(string(result.Content[0].JSON()), string(mcp.Text(root+"\n").JSON()))
}

func TestAToolIsToldTheRoots(t *testing.T) {
	is := is.New(t)
	got := run(t, `#!/bin/sh
printf '%s|%s|%s' "$MCP_ROOTS_COUNT" "$MCP_ROOTS_PATHS" "$MCP_ROOTS_JSON"`, func(c *Call) {
		c.Folders = []roots.Root{{URI: "file:///a", Name: "a", Path: "/a"}, {URI: "file:///b%20c", Name: "b c", Path: "/b c"}}
	})
	is.True(strings.Contains(got, `"2|/a\n/b c|[{\"uri\":\"file:///a\",\"name\":\"a\",\"path\":\"/a\"},{\"uri\":\"file:///b%20c\",\"name\":\"b c\",\"path\":\"/b c\"}]"`))
}
