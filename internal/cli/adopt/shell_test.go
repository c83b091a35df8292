package adopt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/adopt"
)

// told is what was understood of a script, an argument a line.
func told(r adopt.Reading) string {
	var b strings.Builder
	for _, a := range adopt.NewDraft(r).Arguments {
		kind := a.Type
		if a.List {
			kind += " list"
		}
		if a.Required {
			kind += "!"
		}
		fmt.Fprintf(&b, "%s %s %s", a.Name, kind, a.Words)
		if a.Default != "" {
			fmt.Fprintf(&b, " default %s", a.Default)
		}
		if a.Enum != nil {
			fmt.Fprintf(&b, " of %s", strings.Join(a.Enum, "|"))
		}
		if a.Pattern != "" {
			b.WriteString(" guarded")
		}
		if a.Natural {
			b.WriteString(" from 0")
		}
		if a.Help != "" {
			fmt.Fprintf(&b, " (%s)", a.Help)
		}
		b.WriteByte('\n')
	}
	for _, d := range r.Doubts {
		fmt.Fprintf(&b, "? %d %s\n", d.Line, d.Text)
	}
	return b.String()
}

func TestWhatAShellScriptTakes(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"positions that go to variables", "src=$1\nDEST_DIR=\"$2\"\ncp \"$src\" \"$DEST_DIR\"\n", `
src string! "{src}" guarded
dest_dir string! "{dest_dir}" guarded
`},
		{"a position without a name", `cat "$1"`, `
arg1 string! "{arg1}" guarded
`},
		{"variables that it asks for before it sets them", `[ -z "$REGION" ] && REGION=eu
LEVEL=${LEVEL:-1}
ONE=1
f() { [ -n "$ONE$LATER" ] || [ -z "$LATER" ]; }
LATER=1
while [ -z "$ANSWER" ]; do read ANSWER < file; done
f
`, `
? 2 it reads REGION,LEVEL: a tool gets no such variable unless you set MCPBASH_TOOL_ENV_MODE=allowlist and ` +
			`MCPBASH_TOOL_ENV_ALLOWLIST=REGION,LEVEL
`},
		{"one of which something else is made", `commit=$(git commit-tree "$tree" -m "$1")`, `
arg1 string! "{arg1}" guarded
`},
		{"a program of Perl that reads nothing", `perl -MCwd -w -e 'print 1'`, "\n"},
		{"a filter in Perl", `perl -w -pe 's/a/b/'`, `
input string  (what it reads from its standard input)
`},
		{"a program of Perl that reads", `perl -e 'while (<>) { print }'`, `
input string  (what it reads from its standard input)
`},
		{"defaults", "a=${1:-.}\nn=${2:-10}\nm=${3-$PWD}\n", `
a string "{a?}" default . guarded
n integer "{n?}" default 10 from 0
m string "{m?}" guarded
`},
		{"a position that must be there", "f=${1:?usage: x FILE}\n", `
f string! "{f}" guarded
`},
		{"one behind an optional one", "a=${1:-}\nb=${2:-}\n", `
a string "{a?}" guarded
b string "{b?}" guarded
`},
		{"a check of how many there are", "if [ $# -lt 1 ]; then echo usage >&2; exit 1; fi\na=$1\nb=$2\n", `
a string! "{a}" guarded
b string "{b?}" guarded
`},
		{"a check in arithmetic", "(( $# == 2 )) || usage\na=${1-} b=${2-}\n", `
a string! "{a}" guarded
b string! "{b}" guarded
`},
		{"a check of one", "a=${1:-}\n[[ -z $a ]] && exit 1\n[ -n \"$2\" ] && b=$2\n", `
a string! "{a}" guarded
b string "{b?}" guarded
`},
		{"all that there is", `for f in "$@"; do wc "$f"; done`, `
f string list "{f...}" guarded
`},
		{"shift and the rest", "mode=$1; shift\nfor file in \"$@\"; do cat \"$file\"; done\n", `
mode string! "{mode}" guarded
file string list "{file...}" guarded
`},
		{"an end that may not come", "if test $# = 0; then if test -t 0; then exit 1; fi; cat; fi\ncat \"$@\"\n", `
args string list "{args...}" guarded
input string  (what it reads from its standard input)
`},
		{"a comparison", "if [ \"$1\" = remove ]; then rm -r /opt/x; fi\n", `
arg1 string "{arg1?}" guarded
`},
		{"the rest for another program", "mode=$1; shift\nexec make \"$@\"\n", `
mode string! "{mode}" guarded
args string list "{args...}"
? 3 it hands its arguments on, so they may be options of what gets them
`},
		{"two shifted away", "a=$1\nshift\nb=$1\nshift\nfor x; do :; done\n", `
a string! "{a}" guarded
b string! "{b}" guarded
x string list "{x...}" guarded
`},
		{"a loop that shifts", "while [ $# -gt 0 ]; do file=$1; wc \"$file\"; shift; done\n", `
file string list "{file...}" guarded
`},
		{"a choice", "action=$1\ncase $action in\nstart) ;;\nstop|halt) ;;\n*) echo no >&2; exit 2 ;;\nesac\n", `
action string! "{action}" of start|stop|halt
`},
		{"a choice that is open", "case $1 in\na) ;;\n*) echo \"$1\" ;;\nesac\n", `
arg1 string "{arg1?}" guarded
`},
		{"functions have arguments of their own", "f() { echo \"$1\" \"$2\"; }\nf a b\n", "\n"},
		{"main with all arguments", "main() { local who=$1; echo \"$who\"; }\nmain \"$@\"\n", `
who string! "{who}" guarded
`},
		{"getopts", "usage() { cat <<END\nUsage: x [-v] [-n COUNT] FILE\n  -n COUNT  how many lines\n  -v        say more\nEND\n}\nCOUNT=10\nwhile getopts \":n:vh\" opt; do\n  case $opt in\n  n) COUNT=$OPTARG ;;\n  v) verbose=1 ;;\n  h) usage; exit 0 ;;\n  *) usage >&2; exit 2 ;;\n  esac\ndone\nshift $((OPTIND - 1))\nhead -n \"$COUNT\" \"$1\"\n", `
count integer ["-n", "{count}"] default 10 (how many lines)
verbose boolean "{verbose?-v}" (say more)
file string! "{file}" guarded
`},
		{"getopts that collects", "while getopts x: o; do case $o in x) EXCLUDE+=(\"$OPTARG\");; esac; done\nshift $((OPTIND-1))\ntar c \"$@\"\n", `
exclude string list "-x{exclude...}"
args string list "{args...}" guarded
`},
		{"an option that must be there", "while getopts f: o; do case $o in f) FILE=$OPTARG;; esac; done\n[ -z \"$FILE\" ] && { echo no file >&2; exit 1; }\n", `
file string! "-f", "{file}"
`},
		{"long options", "name=world\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    -n|--name) name=\"$2\"; shift 2 ;;\n    --times=*) TIMES=${1#*=}; shift ;;\n    -q|--quiet) QUIET=true; shift ;;\n    -h|--help) usage; exit ;;\n    --) shift; break ;;\n    -*) echo bad >&2; exit 1 ;;\n    *) break ;;\n  esac\ndone\necho \"$1\"\n", `
name string ["--name", "{name}"] default world
times string "--times={times?}"
quiet boolean "{quiet?--quiet}"
arg1 string! "{arg1}" guarded
`},
		{"long options in both ways", "while [ $# -gt 0 ]; do case \"$1\" in --to) TO=$2; shift;; --to=*) TO=\"${1#--to=}\";; *) FILES+=(\"$1\");; esac; shift; done\n", `
to string "--to={to?}"
files string list "{files...}" guarded
`},
		{"for and case", "for arg in \"$@\"; do case $arg in --dry-run) DRY=1;; --to=*) TO=${arg#*=};; esac; done\n", `
dry_run boolean "{dry_run?--dry-run}"
to string "--to={to?}"
`},
		{"numbers", "while getopts p: o; do case $o in p) PORT=$OPTARG;; esac; done\nif [ \"$PORT\" -gt 1024 ]; then :; fi\n", `
port integer ["-p", "{port}"]
`},
		{"an option by if", "if [ \"$1\" = \"--force\" ]; then FORCE=1; shift; fi\nrm \"$1\"\n", `
force boolean "{force?--force}"
arg1 string! "{arg1}" guarded
`},
		{"usage text alone", "# Usage: legacy [-a] <src> [dest]\n#   -a, --all   everything\n. ./impl.sh\n", `
all boolean "{all?--all}" (everything)
src string! "{src}" guarded
dest string "{dest?}" guarded
? 2 its usage text names --all, which its code does not show
? 2 its usage line shows src, but its code uses no arguments
`},
		{"what the shell cannot read", "# Usage: x FILE\nif\n", `
file string! "{file}" guarded
? 3 it cannot be parsed, so only its usage text is used: ` + "`if` must be followed by a statement list" + `
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal("\n"+told(adopt.Read("x.sh", []byte("#!/usr/bin/env bash\n"+test.script))), test.want)
		})
	}
}
