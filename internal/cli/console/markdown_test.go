package console_test

import (
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/docs"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// markdown is a document as a person sees it.
func markdown(document string, columns int, colour bool) string {
	var out strings.Builder
	console.New(&out, colour).Fit(func() int { return columns }).Markdown(document)
	return out.String()
}

func TestADocumentIsMadeAsWideAsTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		document string
		columns  int
		want     string
	}{
		"paragraphs are joined and broken": {"one two\nthree four five six seven\n\neight", 24, "one two three four five\nsix seven\n\neight\n"},
		"headings":                         {"# A title\n\ntext", 24, "# A title\n\ntext\n"},
		"items":                            {"- one two three four five\n  six\n- seven\n\n10. eight nine ten eleven", 20, "- one two three four\n  five six\n- seven\n\n10. eight nine ten\n    eleven\n"},
		"code stays":                       {"```sh\n$ a command that is longer than the terminal\n\n# it\n```\n", 20, "    $ a command that is longer than the terminal\n\n    # it\n"},
		"indented code stays":              {"text\n\n    a command that is longer than it\n", 20, "text\n\n    a command that is longer than it\n"},
		"links":                            {"[one](#a) [TWO](TWO.md) [the web](https://example.com) ![x](y.svg)", 80, "one TWO the web <https://example.com> x\n"},
		"marks":                            {"**bold** and `a **b** [c](d)`", 80, "bold and `a **b** [c](d)`\n"},
		"comments":                         {"a\n<!-- x -->\nb", 80, "a\nb\n"},
		"a table with room":                {"| a | b |\n|---|---|\n| one | `x \\| y` |\n", 40, "a    b\none  `x | y`\n"},
		"a table whose cells are broken":   {"| name | one two three four five |\n|---|---|\n| n | six seven |", 20, "name  one two three\n      four five\nn     six seven\n"},
		"a table with too little room":     {"| a | b | c |\n|---|---|---|\n| a_name_that_is_long | word | words to be broken |\n| d | | e |", 20, "a_name_that_is_long\n    b: word\n    c: words to be\n      broken\nd\n    c: e\n"},
		"a cell too few, and one too many": {"| a | b |\n|---|---|\n| c |\n| d | e | f |", 20, "a  b\nc\nd  e\n"},
		"a table without a head":           {"| | |\n|---|---|\n| a | b |", 20, "a  b\n"},
		"an unknown width":                 {"a line of some words that are not broken\nat all", 0, "a line of some words that are not broken at all\n"},
		"what would steer the terminal":    {"a\x1b]0;b\x07", 80, "a]0;b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(markdown(c.document, c.columns, false), c.want)
		})
	}
}

func TestHeadingsAndCodeStandOut(t *testing.T) {
	is := is.New(t)
	is.Equal(markdown("## A `title`\n\n**b** `c`", 80, true), "\x1b[1mA \x1b[36mtitle\x1b[0m\x1b[0m\n\n\x1b[1mb\x1b[0m \x1b[36mc\x1b[0m\n")
	is.Equal(markdown("| a | b |\n|---|---|\n| c | d |", 20, true), "\x1b[1ma\x1b[0m  \x1b[1mb\x1b[0m\nc  d\n")
	is.Equal(markdown("| | |\n|---|---|\n| a | `b c d e f g h i` |", 20, true), "a  \x1b[36mb c d e f g h i\x1b[0m\n")
	is.Equal(markdown("| | |\n|---|---|\n| a | `one two three four five` |", 20, true), "a  \x1b[36mone two three\n   four five\x1b[0m\n")
}

func TestEveryPageOfTheDocumentationCanBeReadInEightyColumns(t *testing.T) {
	for _, p := range docs.Pages() {
		t.Run(p.Name, func(t *testing.T) {
			is := is.New(t)
			text, err := docs.Read(p.Name)
			is.NoErr(err)
			shown := markdown(text, 80, false)
			for line := range strings.Lines(shown) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasPrefix(line, "    ") || uniseg.StringWidth(line) <= 80 { // code, and cells of lists, stay whole
					continue
				}
				words := strings.Fields(line)
				if len(words) > 2 { // a mark and one long word
					t.Errorf("a line is wider than the terminal: %s", line)
				}
			}
			is.True(!strings.ContainsAny(shown, "\x01\x02\x03")) // no marks of ours are left
			kept := func(r rune) bool { return r < 'a' || r > 'z' }
			is.True(len(strings.FieldsFunc(shown, kept))*10 > len(strings.FieldsFunc(text, kept))*7) // the words are there, without addresses
		})
	}
}
