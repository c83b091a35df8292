package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
)

// words returns the words of a tool for the arguments of a call.
func words(t *testing.T, tool *Tool, arguments string) string {
	t.Helper()
	args, err := argv.ReadArguments([]byte(arguments), tool.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	all, err := tool.Argv.Fill(args)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "|")
}

func TestAScriptGetsTheWordsOfArgv(t *testing.T) {
	is := is.New(t)
	s := found(t, `
-- tools/a/tool.sh --
-- tools/a/tool.meta.yaml --
inputSchema:
  properties:
    n: {type: integer, default: 3}
    v: {type: boolean}
    files: {type: array}
  required: [files]
argv: ["-n", "{n}", "{v?-v}", "{files...}"]
stdin: "{n}"
`)
	tool := only(t, s)
	is.Equal(faults(s), "")
	is.Equal(words(t, tool, `{"v":true,"files":["x y","z"]}`), "-n|3|-v|x y|z") // with the default
	is.Equal(filepath.Base(tool.Path), "tool.sh")
	is.True(!tool.Alone)
	is.True(tool.Stdin != nil)
}

func TestMetadataWithArgvNeedsNoScript(t *testing.T) {
	is := is.New(t)
	s := found(t, `
-- tools/search/tool.meta.json --
{"inputSchema": {"properties": {"p": {}}, "required": ["p"]}, "argv": ["rg", "--", "{p}"]}
-- tools/up.meta.json --
{"argv": ["uptime"]}
-- tools/in/in.meta.json --
{"argv": ["scripts/x.sh", "-q"]}
-- tools/abs/tool.meta.json --
{"argv": ["/usr/bin/env"]}
-- tools/beside/beside.sh --
-- tools/beside/helper.meta.json --
{"argv": ["echo"]}
-- tools/beside/lib/inner.meta.json --
{"argv": ["echo"]}
`)
	is.Equal(faults(s), "")
	is.Equal(names(s), "abs beside helper in search up")
	byName := make(map[string]*Tool)
	for _, tool := range s.Items {
		byName[tool.Name] = tool
	}
	is.Equal(byName["search"].Program, "rg") // looked up when it is called
	is.Equal(byName["search"].Path, "")
	is.Equal(words(t, byName["search"], `{"p":"a b"}`), "--|a b")
	is.Equal(byName["up"].Program, "uptime")
	is.True(strings.HasSuffix(filepath.ToSlash(byName["in"].Path), "/scripts/x.sh")) // in the project
	is.Equal(filepath.ToSlash(byName["abs"].Path), "/usr/bin/env")
	is.True(!byName["beside"].Alone && byName["beside"].Argv == nil)
}

// A program that runs with other words than its author wrote may do harm.
func TestAToolWithABrokenCommandLineIsNotServed(t *testing.T) {
	for text, reason := range map[string]string{
		`"argv": "-v"`:            `argv: must be an array of words, not a string; write "argv": [`,
		`"argv": ["-n", 5]`:       `argv.1: must be a string, not a number; write "5"`,
		`"argv": ["x", null]`:     `argv.1: must be a string, not null`,
		`"argv": [["-n", ["x"]]]`: `argv.0.1: must be a string, not an array`,
		`"argv": [[]]`:            `argv.0: is an empty list of words`,
		`"argv": ["{n"]`:          `argv.0: "{n" has a { without a }; write {{ for a brace as it is`,
		`"argv": ["{m}"]`:         `argv: {m} is not an argument of inputSchema; write it into its properties, or {{ for a brace as it is`,
		`"argv": [["-x", "{m}"]]`: `argv: {m} is not an argument of inputSchema`,
		`"argv": ["{n?-n}"]`:      `argv: {n?…} needs an argument that is true or false; give it "type": "boolean" in inputSchema, or write {n?}`,
		`"argv": ["{n...}"]`:      `argv: {n...} needs an argument that is an array; give it "type": "array" in inputSchema, or write {n}`,
		`"stdin": 5`:              `stdin: must be a string, not a number; write "5"`,
		`"stdin": "{m}"`:          `stdin: {m} is not an argument of inputSchema`,
		`"stdin": "{l...}"`:       `stdin: is one text, not a list; write "stdin": "{text}"`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			s := found(t, "-- tools/good.sh --\n-- tools/a.sh --\n-- tools/a.meta.json --\n{\"inputSchema\": {\"properties\": {\"n\": {\"type\": \"integer\"}, \"l\": {}}},\n"+text+"}\n")
			is.True(strings.Contains(faults(s), "tools/a.meta.json:2: "+reason)) // file, line and field
			is.Equal(names(s), "good")
		})
	}
}

func TestAProgramThatArgvDoesNotName(t *testing.T) {
	for text, reason := range map[string]string{
		`[]`:              `argv: must begin with a program, because no script stands beside it; write "argv": ["rg", "{pattern}"]`,
		`["{p}"]`:         `argv: must begin with a program`,
		`["--verbose"]`:   `argv: must begin with a program`,
		`[["rg", "{p}"]]`: `argv: must begin with a program`,
		`["../x"]`:        `argv: "../x" is outside of the project; write its name, as found on PATH, an absolute path, or one in the project`,
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			s := found(t, "-- tools/a.meta.json --\n{\"inputSchema\": {\"properties\": {\"p\": {\"type\": \"string\"}}},\n\"argv\": "+text+"}\n")
			is.True(strings.Contains(faults(s), "tools/a.meta.json:2: "+reason))
			is.Equal(names(s), "")
		})
	}
}

func TestAnArgumentThatMayBeMissingFromArgvIsPointedOut(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"inputSchema\": {\"properties\": {\"n\": {}, \"m\": {\"default\": 1}}}, \"argv\": [\"{n}\", \"{m}\", [\"-n\", \"{n}\"]]}\n")
	is.Equal(faults(s), "tools/a.meta.json:1: argv: a call without n is refused, though inputSchema does not require it; write {n?}, which leaves its word out, or require it")
	is.Equal(names(s), "a") // it is served
}

func TestArgumentsOfASchemaThatSaysThemElsewhere(t *testing.T) {
	is := is.New(t)
	s := found(t, "-- tools/a.sh --\n-- tools/a.meta.json --\n{\"inputSchema\": {\"type\": \"object\", \"anyOf\": [{\"properties\": {\"n\": {}}}]}, \"argv\": [\"{n}\"]}\n")
	is.Equal(faults(s), "")
	is.Equal(names(s), "a")
}

func TestTheCommandLineOfTheDocumentation(t *testing.T) {
	is := is.New(t)
	text, err := os.ReadFile("../../docs/PROJECT.md")
	is.NoErr(err)
	_, after, _ := strings.Cut(string(text), "### A command line\n")
	_, after, _ = strings.Cut(after, "```json\n")
	metadata, _, _ := strings.Cut(after, "```")
	s := found(t, "-- tools/search.meta.json --\n"+metadata)
	is.Equal(faults(s), "")
	tool := only(t, s)
	is.Equal(tool.Program, "rg")
	is.Equal(words(t, tool, `{"pattern":"-x y"}`), "--|-x y")
	is.Equal(words(t, tool, `{"pattern":"x","ignore_case":true,"depth":2,"glob":"*.go","folders":["a","b"]}`),
		"-i|--max-depth=2|-g|*.go|--|x|a|b")
}
