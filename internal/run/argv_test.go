package run

import (
	stdjson "encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// line makes a command line of words; stdin may be empty for none.
func line(t *testing.T, stdin string, words ...string) (c catalog.CommandLine) {
	t.Helper()
	parse := func(text string) argv.Word {
		word, err := argv.ParseWord(text)
		if err != nil {
			t.Fatal(err)
		}
		return word
	}
	for _, word := range words {
		c.Argv = append(c.Argv, argv.Item{Words: []argv.Word{parse(word)}})
	}
	if stdin != "" {
		word := parse(stdin)
		c.Stdin = &word
	}
	return c
}

// words prints how many arguments a script got, and each between brackets.
const words = "#!/bin/sh\necho $#\nfor a; do printf '[%s]' \"$a\"; done\n"

func TestEveryArgumentIsOneWordOfTheCommandLine(t *testing.T) {
	for _, value := range []string{"a b", `"'`, "a\nb", "$(echo x)", "`echo x`", "*", "-rf", "--", "", ";|&><", `\`, "ä €"} {
		is := is.New(t)
		got := run(t, words, func(c *Call) {
			c.Args, _ = stdjson.Marshal(map[string]any{"v": value, "l": []string{value, value}})
			c.Tool.CommandLine = line(t, "", "--v={v}", "{v}", "{l...}", "{none?}")
		})
		text, _ := stdjson.Marshal("4\n[--v=" + value + "]" + strings.Repeat("["+value+"]", 3))
		plain := stdjson.NewDecoder(strings.NewReader(string(text)))
		var want, result any
		is.NoErr(plain.Decode(&want))
		is.NoErr(stdjson.Unmarshal([]byte(got), &result))
		is.Equal(result.(map[string]any)["content"].([]any)[0].(map[string]any)["text"], want)
	}
}

func TestTheArgumentsOfAToolWithArgvArriveAsJSONToo(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\nprintf '%s %s' \"$1\" \"$MCP_TOOL_ARGS_JSON\"", func(c *Call) {
		c.Args = json.RawMessage(`{"v": "x"}`)
		c.Tool.CommandLine = line(t, "", "{v}")
	})
	is.True(strings.Contains(got, `"text":"x {\"v\": \"x\"}"`))
}

func TestAnArgumentBecomesTheStandardInput(t *testing.T) {
	is := is.New(t)
	long := strings.Repeat("0123456789abcde\n", 20_000)
	got := run(t, "#!/bin/sh\ncksum", func(c *Call) {
		c.Args, _ = stdjson.Marshal(map[string]string{"v": long})
		c.Tool.CommandLine = line(t, "{v}")
	})
	is.True(strings.Contains(got, " 320000\\n")) // all of it, more than any pipe holds
	got = run(t, "#!/bin/sh\necho done", func(c *Call) {
		c.Args, _ = stdjson.Marshal(map[string]string{"v": long})
		c.Tool.CommandLine = line(t, "{v}")
	})
	is.True(strings.Contains(got, `"text":"done\n"`)) // who does not read it need not
	got = run(t, "#!/bin/sh\nwc -c | tr -d ' '", func(c *Call) { c.Tool.CommandLine = line(t, "{v?}") })
	is.True(strings.Contains(got, `"text":"0\n"`)) // absent: nothing
	got = run(t, "#!/bin/sh\nod -An -c | tr -d ' '", func(c *Call) {
		c.Args = json.RawMessage(`{"v": "a\u0000b"}`)
		c.Tool.CommandLine = line(t, "<{v}>")
	})
	is.True(strings.Contains(got, `"text":"<a\\0b>\n"`)) // byte for byte
}

func TestACallWithoutAnArgumentOfTheCommandLineStartsNothing(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho started", func(c *Call) { c.Tool.CommandLine = line(t, "", "{v}") })
	is.Equal(got, `{"content":[{"type":"text","text":"Invalid arguments for tool probe:\n- argument \"v\" is required on the command line"}],"isError":true}`)
}

func TestAProgramIsLookedUpOnThePATHOfTheTool(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	bin := filepath.Join(r.Root, "bin")
	is.NoErr(os.MkdirAll(filepath.Join(bin, "folder"), 0o755))
	is.NoErr(os.WriteFile(filepath.Join(bin, "greet"), []byte("#!/bin/sh\necho \"hello $1, I am $MCP_TOOL_PATH\""), 0o755))
	tool := &catalog.Tool{
		Described: catalog.Described{Name: "probe"}, InputSchema: json.Value(`{"type":"object"}`), Settings: &catalog.Settings{
			Program: "greet", Alone: true, Env: map[string]string{"PATH": bin + ":/usr/bin:/bin"}, CommandLine: line(t, "", "{v}")}}
	c := new(heard).call(tool)
	c.Args = json.RawMessage(`{"v": "you"}`)
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.True(strings.Contains(string(encode(result)), `"text":"hello you, I am `+filepath.Join(bin, "greet")+`\n"`))

	for _, name := range []string{"no-such-program", "folder"} {
		tool.Program = name
		result, err = r.Call(t.Context(), c)
		is.NoErr(err)
		is.Equal(string(encode(result)), `{"content":[{"type":"text","text":"Tool failed: cannot start `+name+`: it is not on the PATH that tools get; install it, or write its path as the first word of argv"}],"isError":true}`)
	}
}

func TestAWordThatIsTooLongForTheSystemIsAResultThatSaysSo(t *testing.T) {
	is := is.New(t)
	got := run(t, words, func(c *Call) {
		c.Args, _ = stdjson.Marshal(map[string]string{"v": strings.Repeat("x", 4<<20)})
		c.Tool.CommandLine = line(t, "", "{v}")
	})
	is.True(strings.Contains(got, `"isError":true`))
	is.True(strings.Contains(got, "too long for the system: argument 1 has 4194304 bytes")) // and why
}
