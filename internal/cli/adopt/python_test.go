package adopt_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
)

func TestWhatAPythonScriptTakes(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"positions", `p.add_argument("src", help="where " 'from')
p.add_argument('dest', nargs="?", default="out")
`, `
src string! "{src}" (where from)
dest string "{dest?}" default out
`},
		{"options", `p.add_argument("-n", "--count", type=int, default=3, help="how many (%(default)s)")
p.add_argument("--ratio", type=float, required=True)
p.add_argument("--dry-run", action="store_true")
p.add_argument("-q", action='store_false', dest="noisy")
p.add_argument("-o", metavar="FILE", type=pathlib.Path, dest="output")
`, `
count integer "--count={count?}" default 3 (how many (3))
ratio number! "--ratio={ratio}"
dry_run boolean "{dry_run?--dry-run}"
noisy boolean "{noisy?-q}"
output string ["-o", "{output}"]
`},
		{"choices", `p.add_argument("--level", choices=["low", "high"])
p.add_argument("size", type=int, choices=(1, 2))
`, `
level string "--level={level?}" of low|high
size integer! "{size}" of 1|2
`},
		{"lists", `p.add_argument("files", nargs="+")
p.add_argument("--tag", action="append", default=[])
p.add_argument("--only", nargs="*")
p.add_argument("-I", action="append")
`, `
tag string list "--tag={tag...}"
only string list ["--only", "{only...}"]
i string list "-I{i...}"
files string list! "{files...}"
`},
		{"words that name files of words", `p = argparse.ArgumentParser(fromfile_prefix_chars="@+")
p.add_argument("file")
p.add_argument("-o")
p.add_argument("--name")
p.add_argument("--only", nargs="*")
`, `
o string ["-o", "{o}"] guarded
name string "--name={name?}"
only string list ["--only", "{only...}"] guarded
file string! "{file}" guarded
`},
		{"over lines, with comments", `p.add_argument(  # a comment, with ( in it
    "--name",       # "another"
    help="""of
       whom""",
    type=str,
)
`, `
name string "--name={name?}" (of whom)
`},
		{"help and version are not for tools", `p.add_argument("-V", "--version", action="version", version=f"{x}")
`, "\n"},
		{"what is not written there", `for n in names:
    p.add_argument(n)
p.add_argument("--level", choices=LEVELS, default=DEFAULT, type=parse)
sub = p.add_subparsers()
`, `
level string "--level={level?}"
args string list "{args...}" (its arguments, each a word of its own; no shell reads them)
? 2 add_argument with a name that is not a literal
? 3 choices that are not literals
? 3 a default that is not a literal
? 3 type=parse is treated as a text
? 4 subcommands: each wants a tool of its own
`},
		{"without argparse", `import sys
name = sys.argv[1]
n = int(sys.argv[2])
print(sys.argv[0])
`, `
name string! "{name}" guarded
n integer! "{n}"
`},
		{"another library", "import typer\n", `
args string list "{args...}" (its arguments, each a word of its own; no shell reads them)
? 1 typer is not understood: try --run-help
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal("\n"+told(adopt.Read("x.py", []byte(test.script))), test.want)
		})
	}
}

func TestThePythonScriptSaysWhatItIsFor(t *testing.T) {
	is := is.New(t)
	is.Equal(adopt.Read("x.py", []byte("#!/usr/bin/env python3\n\"\"\"Counts\nwords.\n\nMore.\"\"\"\n")).Description, "Counts words.")
	is.Equal(adopt.Read("x.py", []byte("p = argparse.ArgumentParser(prog='x', description='Sums up '\n 'numbers.')")).Description, "Sums up numbers.")
}

func TestAWordThatBeginsWithADashOrNamesAFileOfWordsIsRefused(t *testing.T) {
	for script, c := range map[string]struct {
		refused, taken []string
	}{
		"#!/bin/sh\nsort \"$1\"\n": {[]string{"-oFILE", "--output=x", "-"}, []string{"", "a-b", "@a", "./-a"}},
		"#!/bin/sh\nwhile getopts v o; do v=1; done; shift $((OPTIND-1)); ssh \"$1\"\n":                          {[]string{"-oProxyCommand=x"}, []string{"host"}},
		"#!/usr/bin/env python3\nargparse.ArgumentParser(fromfile_prefix_chars='@]\\\\')\np.add_argument('x')\n": {[]string{"@/etc/passwd", "]a", "\\a", "-x"}, []string{"a@b", "[a", ""}},
		"#!/usr/bin/env python3\np.add_argument('x')\n":                                                          {nil, []string{"-x"}}, // -- is before it
	} {
		t.Run(script, func(t *testing.T) {
			is := is.New(t)
			a := adopt.NewDraft(adopt.Read("x", []byte(script))).Arguments
			pattern := regexp.MustCompile(a[len(a)-1].Pattern)
			for _, text := range c.refused {
				is.True(!pattern.MatchString(text)) // text is refused
			}
			for _, text := range c.taken {
				is.True(pattern.MatchString(text)) // text is taken
			}
		})
	}
	is := is.New(t)
	x := adopt.NewDraft(adopt.Read("x.py", []byte("p.add_argument('x')\n")))
	is.True(strings.Contains(string(x.Metadata()), `"argv": ["--", "{x}"]`)) // argparse always knows -h
	kill := adopt.NewDraft(adopt.Read("x", []byte("#!/bin/sh\npid=$1\n[ \"$pid\" -gt 1 ] && kill -0 \"$pid\"\n")))
	is.True(strings.Contains(string(kill.Metadata()), `"pid": {"type": "integer", "minimum": 0}`)) // a negative one is a group of processes
}
