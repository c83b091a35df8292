package adopt_test

import (
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
name string! "{name}"
n integer! "{n}"
`},
		{"another library", "import click\n", `
? 1 click is not understood, only argparse: try --run-help
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal("\n"+told(adopt.ReadPython([]byte(test.script))), test.want)
		})
	}
}

func TestThePythonScriptSaysWhatItIsFor(t *testing.T) {
	is := is.New(t)
	is.Equal(adopt.ReadPython([]byte("#!/usr/bin/env python3\n\"\"\"Counts\nwords.\n\nMore.\"\"\"\n")).Description, "Counts words.")
	is.Equal(adopt.ReadPython([]byte("p = argparse.ArgumentParser(prog='x', description='Sums up '\n 'numbers.')")).Description, "Sums up numbers.")
}
