package shellfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"
	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

func TestNoScriptIsNestedTooDeeplyForTheStack(t *testing.T) {
	const most = 1 << 20
	for _, unit := range []string{"a|", "a&&", "$(", "((", "`", "{ ", "${a:-", "((a?b:", "((a[", "if ", "time ", "<(", "\"$("} {
		text := strings.Repeat(unit, most/len(unit))
		_, err := shellfile.ParseShell([]byte(text+"a\n"), syntax.LangBash)
		if err == nil {
			t.Errorf("%q, repeated, is parsed", unit)
		}
	}
	is := is.New(t)
	_, err := shellfile.ParseShell([]byte(strings.Repeat("#", most+1)), syntax.LangBash)
	is.True(errors.Is(err, shellfile.ErrNotParsed)) // too long
	_, err = shellfile.ParseShell([]byte(strings.Repeat("a|", 49_999)+"a"), syntax.LangBash)
	is.NoErr(err) // deeper than any script is
	_, err = shellfile.ParseShell([]byte(strings.Repeat("f() { echo \"$(date)\" | cat; }\n", 8_000)), syntax.LangBash)
	is.NoErr(err) // a long one
}
