package console_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func TestLinesAreBrokenBetweenWords(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		hang    int
		want    string
	}{
		{"a text that fits", 0, 2, "a text that fits"},
		{"a text that fits", 20, 2, "a text that fits"},
		{"twenty columns wide.", 20, 2, "twenty columns wide."},
		{"a text that is wider than that", 20, 2, "a text that is wider\n  than that"},
		{"    a text that is wider than that", 20, 0, "    a text that is\n    wider than that"},
		{"see /usr/share/doc/mcp-bash/README.md for it", 20, 0, "see\n/usr/share/doc/mcp-bash/README.md\nfor it"},
		{"日本語の文章 日本語の文章 x", 20, 0, "日本語の文章\n日本語の文章 x"},
		{"a family 👨‍👩‍👧‍👦 of one", 20, 0, "a family 👨‍👩‍👧‍👦 of one"},
		{"who are you, what is your name: ", 24, 2, "who are you, what is\n  your name: "},
		{"one\ntwo three four five six seven", 20, 0, "one\ntwo three four five\nsix seven"},
		{"  --name  the name that the server has in the file", 40, 2, "  --name  the name that the server has\n          in the file"},
		{"  --a-longer-name string  the name of the server", 40, 2, "  --a-longer-name string\n      the name of the server"},
		{"  one argument  string, required  line 3: getopts", 40, 2, "  one argument  string, required\n      line 3: getopts"},
		{"too narrow to be read", 3, 0, "too narrow to be\nread"},
	} {
		is := is.New(t)
		is.Equal(console.Fit(c.text, c.columns, c.hang), c.want)
	}
}

func TestMessagesFitTheTerminal(t *testing.T) {
	is := is.New(t)
	var out strings.Builder
	c := console.New(&out, false).Fit(func() int { return 24 })
	c.Fail("tools/greet/tool.sh: not executable, and no shebang")
	c.Hint("make it executable, or run: chmod +x tool.sh")
	c.Text(`{"a line": "of a file that is copied"}`)
	is.Equal(out.String(), `✗ tools/greet/tool.sh:
  not executable, and no
  shebang
  make it executable, or
  run: chmod +x tool.sh
{"a line": "of a file that is copied"}
`)
}

const help = `Call a tool as a client would: through the same stages,
and print its result.

    {"mcpServers": {"my-tools": {

Usage:
  mcp-bash call TOOL [key=value | key:=json]... [flags]

Examples:
  mcp-bash call hello name='Ada Lovelace' age=36 | cat

Flags:
  -h, --help              help for call
      --timeout seconds   seconds it may run, instead of its own
`

func TestHelpIsMadeAsNarrowAsTheTerminal(t *testing.T) {
	is := is.New(t)
	is.Equal(console.FitHelp(help, 0), help)
	is.Equal(console.FitHelp(help, 80), help)
	got := console.FitHelp(help, 40)
	is.Equal(got, `Call a tool as a client would: through
the same stages, and print its result.

    {"mcpServers": {"my-tools": {

Usage:
  mcp-bash call TOOL [key=value |
    key:=json]... [flags]

Examples:
  mcp-bash call hello \
    name='Ada Lovelace' age=36 | cat

Flags:
  -h, --help              help for call
      --timeout seconds
          seconds it may run, instead of
          its own
`)
	for line := range strings.Lines(got) {
		is.True(uniseg.StringWidth(strings.TrimSuffix(line, "\n")) <= 40)
	}
}
