package sdk

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// failures are tools that end early, and the reported place of each. The SDK is sourced in line 1.
var failures = []struct {
	name, script string
	want         string // the place; empty if unknown
	old          string // the place in bash before 4, which is less precise
	code         int    // -1 if shells differ
}{
	{"a command", "echo one >&2\nfalse a \"$0\"\necho never", "1 tool.sh, line 3: false a \"$0\"", "1 tool.sh, line 3", 1},
	{"a pipeline", "echo one | (exit 7) | :", "7 tool.sh, line 2: … | :", "7 tool.sh, line 2", 7},
	{"a substitution", "x=$(exit 6)", "6 tool.sh, line 2: x=$(exit 6)", "6 tool.sh, line 2", 6},
	{"a test", "x=1\n[[ $x == 2 ]]\necho never", "1 tool.sh, line 3: [[ $x == 2 ]]", "", -1},
	{"in a function", "f() {\n\t:\n\tfalse a\n}\nf\n", "1 tool.sh, in f called at line 6: false a", "", 1},
	{"a pipeline in a function", "f() { (exit 7) | :; }\nf\n", "7 tool.sh, in f called at line 3: … | :", "", 7},
	{"another pipeline in a function", "f() { :; (exit 7) | while read -r x; do :; done; }\nf\n", "7 tool.sh, in f called at line 3", "7 tool.sh, line 3", 7},
	{"a subshell in a function", "f() {\n\techo one\n\t(exit 7)\n}\nf\n", "7 tool.sh, in f called at line 6", "7 tool.sh, line 6", 7},
	{"a substitution in a function", "f() { local x; x=$(exit 7); }\nf\n", "7 tool.sh, in f called at line 3: x=$(exit 7)", "", 7},
	{"in a function of a function", "f() { false; }\ng() {\n\tf\n}\ng", "1 tool.sh, in f called at line 4: false", "", 1},
	{"in a file that is sourced", "printf ':\\nfalse lib' >lib.sh\n. ./lib.sh", "1 lib.sh, line 2: false lib", "1 lib.sh, line 2", 1},
	{"a function of such a file", "printf 'f() { false lib; }' >lib.sh\n. ./lib.sh\nf", "1 tool.sh, in f called at line 4: false lib", "", 1},
	{"a helper", ":\nmcp_is_valid_json '{'", "1 tool.sh, line 3: mcp_is_valid_json", "", 1},
	{"a helper in a function", "f() {\n\tmcp_is_valid_json '{'\n}\nf", "1 tool.sh, line 3: mcp_is_valid_json", "", 1},
	{"an end with a code", "exit 4", "", "", 4},
	{"an end with a code in a function", "f() { exit 4; }\nf", "", "", 4},
	{"a function that returns a code", "f() { return 4; }\nf", "", "", 4},
	{"a helper that ends the tool", "mcp_fail -32001 boom", "", "", 1},
	{"an unbound variable", "echo \"$nope\"", "", "", -1},
	{"a failure that is handled", "false || :\nif false; then :; fi\n! true\nset +e\nfalse\nset -e", "", "", 0},
	{"one that is handled before an end", "set +e\nfalse a\nexit 1", "", "", 1},
	{"a success", "echo fine", "", "", 0},
	{"a trap at EXIT", "trap 'echo bye' EXIT\nfalse", "1 tool.sh, line 3: false", "1 tool.sh, line 3", 1},
	{"a trap at ERR", "trap 'echo bye' ERR\nfalse", "", "", 1},
}

func place(p Place) string {
	if p.Line == 0 {
		return ""
	}
	return strings.Join([]string{string(rune('0' + p.Code)), p.String()}, " ")
}

func isOld(t *testing.T) bool {
	out, err := exec.Command(bash(t), "-c", "echo ${BASH_VERSINFO[0]}").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out) < "4"
}

func TestTheServerGetsThePlaceWhereACommandEndedTheTool(t *testing.T) {
	old := isOld(t)
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			is := is.New(t)
			want := f.want
			if old {
				want = f.old
			}
			var x tool
			x.opened = make(chan *Channel, 1)
			e := x.run(t, f.script)
			is.Equal(place((<-x.opened).Place()), want)
			is.True(!strings.Contains(e.stderr, "exit code")) // stderr is unchanged
			is.True(f.code < 0 || e.code == f.code)
		})
	}
}

func TestWithoutAServerThePlaceIsOnStderr(t *testing.T) {
	is := is.New(t)
	x := handy(t)
	command := `false \"$0\"`
	if isOld(t) {
		command = "a command"
	}
	is.Equal(x.run(t, "echo out\nfalse \"$0\"").String(), `stdout "out\n", stderr "tool.sh: line 3: exit code 1 from: `+command+`\n", code 1`)
	is.Equal(x.run(t, "echo out\nexit 5").String(), `stdout "out\n", stderr "", code 5`)
	if !isOld(t) {
		is.Equal(x.run(t, "f() { x=$(exit 3); }\nf").stderr, "tool.sh: in f called at line 3: exit code 3 from: x=$(exit 3)\n")
	}
}

// A tool that has traps when it sources the SDK keeps them, and its exit code.
func TestTheTrapsOfAToolStayInPlace(t *testing.T) {
	for name, x := range map[string]*tool{"in a server": {}, "by hand": handy(t)} {
		for _, trap := range []string{"EXIT", "ERR"} {
			t.Run(name+" "+trap, func(t *testing.T) {
				is := is.New(t)
				e := x.run(t, "trap - EXIT ERR\nunset _mcp_sdk\ntrap 'echo mine $?' "+trap+"\n"+source+"trap -p EXIT ERR\nfalse")
				is.True(strings.Contains(e.stdout, "trap -- 'echo mine $?' "+trap+"\n"))
				is.Equal(strings.Count(e.stdout, "_mcp_"), 0)
				is.True(strings.HasSuffix(e.stdout, "\nmine 1\n"))
				is.Equal(e.stderr, "")
				is.Equal(e.code, 1)
			})
		}
	}
}

func TestSourcingTheSDKAgainSetsItsTrapsAgain(t *testing.T) {
	is := is.New(t)
	var x tool
	x.opened = make(chan *Channel, 1)
	e := x.run(t, "mcp_run_with_progress --pattern x -- eval 'echo \"$_mcp_sized\"'\ntrap - EXIT ERR\n"+source+"false again")
	if e.stdout == "\n" {
		t.Skip("an older bash sets them once, and one in POSIX mode")
	}
	is.Equal(place((<-x.opened).Place()), "1 tool.sh, line 5: false again")
	is.Equal(e.stderr, "")
}

func TestTheErrorTrapIsInvisibleToTheTool(t *testing.T) {
	is := is.New(t)
	e := new(tool).run(t, `
set +e
f() { return "$1"; }
f 3
echo "$? $_"
false | (exit 5) | :
echo "${PIPESTATUS[*]}"
g() { return 2; }
g word
echo "$_"
for fd in 0 1 2 3 4 9; do { true >&$fd; } 2>/dev/null && printf '%s ' "$fd"; done
set -x
f 9
set +x
exit 9`)
	is.Equal(e.stdout, "3 3\n1 5 0\nword\n0 1 2 ")
	is.Equal(e.stderr, "+ f 9\n+ return 9\n+ set +x\n")
	is.Equal(e.code, 9)
}

func TestAPlaceIsShownInOneShortLine(t *testing.T) {
	for name, test := range map[string]struct {
		fields []string
		want   string
	}{
		"plain":         {[]string{"2", "tool.sh", "5", "", "ls x"}, "tool.sh, line 5: ls x"},
		"long":          {[]string{"2", "tool.sh", "5", "f", strings.Repeat("é", 150)}, "tool.sh, in f called at line 5: " + strings.Repeat("é", 100) + "…"},
		"odd":           {[]string{"2", "a\tb\x1b.sh", "5", "", "\xff"}, "a b .sh, line 5: \ufffd"},
		"without line":  {[]string{"2", "tool.sh", "", "", "ls"}, ""},
		"line 0":        {[]string{"2", "tool.sh", "0", "", "ls"}, ""},
		"without code":  {[]string{"x", "tool.sh", "5", "", "ls"}, ""},
		"without files": {[]string{"2", "", "5", "", "ls"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			p := placeOf(test.fields)
			if test.want == "" {
				is.Equal(p, Place{})
				return
			}
			is.Equal(p.String(), test.want)
			is.Equal(p.At(), p.File+":5")
		})
	}
}

func TestAToolWhoseChannelIsClosedEndsNormally(t *testing.T) {
	is := is.New(t)
	e := new(tool).run(t, "exec 50>&- 51<&- 52<&- 53<&- 54>&-\nfalse")
	is.Equal(e.String(), `stdout "", stderr "", code 1`)
}
