package sdk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestCommandsAreRetried(t *testing.T) {
	is := is.New(t)
	var x tool
	e := x.run(t, `
set +e
n=0
try() { n=$((n + 1)); [ $n -lt "$1" ] && return "$2"; return "$3"; }
printed() { "$@"; echo "code $? after $n"; n=0; }
printed mcp_with_retry 5 0.01 -- try 3 9 0
printed mcp_with_retry 3 0 -- try 9 3 0
printed mcp_with_retry 5 .01 -- try 9 2 0
printed mcp_with_retry 5 0.01 -- try 3 9 1
printed mcp_with_retry 1 0.01 try 3 9 1
printed mcp_with_retry 0 1 -- true
printed mcp_with_retry 3 soon -- true
printed mcp_with_retry 3 1 --`)
	is.Equal(e.stdout, `code 0 after 3
code 3 after 3
code 2 after 1
code 1 after 3
code 9 after 1
code 1 after 0
code 1 after 0
code 1 after 0
`)
	is.Equal(e.stderr, `mcp_with_retry: "0" is not a number of attempts
mcp_with_retry: "soon" is not a number of seconds
mcp_with_retry: which command?
`)
}

func TestDelaysDouble(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	var x tool
	began := time.Now()
	x.run(t, `mcp_with_retry 4 0.1 -- eval '(exit 3)' || :`)
	is.True(time.Since(began) >= 700*time.Millisecond) // 0.1 + 0.2 + 0.4
}

func TestOutputOfACommandBecomesProgress(t *testing.T) {
	for _, test := range []struct{ name, script, stdout, stderr, heard string }{
		{
			"percent", `mcp_run_with_progress --pattern '([0-9.]+)%' --extract match1 -- eval 'echo out; echo "10% a" >&2; echo hm >&2; echo "99.5%" >&2; exit 7' || echo "code $?"`,
			"out\ncode 7\n", "hm\n", "progress 10 \"10% a\"\nprogress 99.5 \"99.5%\"",
		},
		{
			"of a total", `mcp_run_with_progress --pattern '^item ([0-9]+)' --extract match1 --total 40 --quiet -- eval 'echo item 7 >&2; echo hm >&2'`,
			"", "", `progress 7/40 "item 7"`,
		},
		{
			"ratio", `mcp_run_with_progress --pattern '([0-9]+)/([0-9]+)' --extract ratio -- eval 'printf "1/3" >&2'`,
			"", "", `progress 1/3 "1/3"`,
		},
		{
			"json", `mcp_run_with_progress --pattern '"progress"' -- eval 'echo "{\"progress\":1.50,\"total\":3,\"message\":\"x\"}" >&2; echo "{\"progress\":\"no\"}" >&2; echo "\"progress\" {" >&2'`,
			"", "", `progress 1.50/3 "x"`,
		},
		{
			"carriage returns", `mcp_run_with_progress --pattern '([0-9]+)%' --extract match1 -- eval 'printf "1%%\r2%%\r" >&2; printf "3%%\n" >&2'`,
			"", "", "progress 1 \"1%\"\nprogress 2 \"2%\"\nprogress 3 \"3%\"",
		},
		{
			"file", `mcp_run_with_progress --pattern '([0-9]+)%' --extract match1 --progress-file p -- eval 'echo "5%" >>p; echo to stderr >&2'`,
			"", "to stderr\n", `progress 5 "5%"`,
		},
		{
			"kept", `mcp_run_with_progress --pattern '([0-9]+)%' --extract match1 --stdout o --stderr-file e -- eval 'echo out; echo "5%" >&2; echo hm >&2'; echo "$(<o) $(<e)"`,
			"out 5%\nhm\n", "", `progress 5 "5%"`,
		},
		{
			"dry", `mcp_run_with_progress --pattern '([0-9]+)%' --extract match1 --dry-run -- eval 'echo "5%" >&2'`,
			"", "progress 5 5%\n", "",
		},
		{
			"while it runs", `slow() { echo "5%" >&2; until [ -e go ]; do :; done; }; (until [ -e seen ]; do :; done; printf '' >go) & mcp_run_with_progress --pattern '([0-9]+)%' --extract match1 --interval 0.05 -- slow`,
			"", "", `progress 5 "5%"`,
		},
		{
			"mistakes", `for o in "" "--pattern (" "--pattern x --extract y" "--pattern x --total 0" "--pattern x --total x" "--pattern x --interval 0" "--pattern x --interval x" "--pattern x --nope y" "--pattern x"; do mcp_run_with_progress $o -- || echo "code $?"; done; mcp_run_with_progress --pattern || echo "code $?"`,
			strings.Repeat("code 1\n", 10), `mcp_run_with_progress: --pattern is required
mcp_run_with_progress: "(" is not a regular expression
mcp_run_with_progress: unknown extract mode "y"; there are json, match1 and ratio
mcp_run_with_progress: --total must be a positive integer
mcp_run_with_progress: --total must be a positive integer
mcp_run_with_progress: --interval must be at least 0.02 seconds
mcp_run_with_progress: --interval must be a number of seconds
mcp_run_with_progress: unknown option "--nope"
mcp_run_with_progress: which command?
mcp_run_with_progress: --pattern needs a value
`, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			is := is.New(t)
			x := connected(nil)
			if test.name == "while it runs" {
				told := x.call.Progress
				x.prepared = func(dir string) { x.call.Progress = thenWrites(told, filepath.Join(dir, "seen")) }
			}
			e := x.run(t, test.script)
			is.Equal(e.stdout, test.stdout)
			is.Equal(e.stderr, test.stderr)
			is.Equal(x.heard.String(), test.heard)
		})
	}
}

func TestACommandEndsWhenTheCallIsCancelled(t *testing.T) {
	is := is.New(t)
	var x tool
	e := x.run(t, `
stuck() { trap '' TERM; echo started >started; while :; do :; done; }
(until [ -e started ]; do :; done; printf '' >"$MCP_CANCEL_FILE") &
mcp_run_with_progress --pattern x --interval 0.05 -- stuck || echo "code $?"
mcp_is_cancelled && echo cancelled`)
	is.Equal(e.stdout, "code 130\ncancelled\n")
}

// The server sends TERM to all processes of a tool, so a command may end before anyone looks at the cancel file.
func TestACommandThatEndsWithTheCancelledCallHasTheSameCode(t *testing.T) {
	is := is.New(t)
	var x tool
	e := x.run(t, `
mcp_run_with_progress --pattern x --interval 0.5 -- /bin/sh -c 'printf "" >"$MCP_CANCEL_FILE"; kill -TERM $$' || echo "code $?"
/bin/rm "$MCP_CANCEL_FILE"
mcp_run_with_progress --pattern x -- /bin/sh -c 'kill -TERM $$' || echo "code $?"`)
	is.Equal(e.stdout, "code 130\ncode 143\n")
}

func TestConfigurationsAreMergedInOrder(t *testing.T) {
	is := is.New(t)
	var x tool
	x.prepared = func(dir string) {
		is.NoErr(os.WriteFile(filepath.Join(dir, "file.json"), []byte("{\"b\":\"file\",\n\"c\":\"file\"}\n"), 0o600))
		is.NoErr(os.WriteFile(filepath.Join(dir, "example.json"), []byte(`{"c":"example","d":"example"}`), 0o600))
		is.NoErr(os.WriteFile(filepath.Join(dir, "broken.json"), []byte(`{`), 0o600))
	}
	e := x.run(t, `
set +e
CONF='{"a":"env"}'
mcp_config_load --defaults '{"a":1,"b":1,"c":1,"d":1,"e":1}' --env CONF --file file.json --example example.json
echo "$MCP_CONFIG_JSON"
mcp_config_get .c
CONF=file.json
mcp_config_load --env CONF && mcp_config_get .b
mcp_config_load --file nowhere.json --env NOTHING; echo "code $?"
mcp_config_load --file broken.json; echo "code $?"
mcp_config_load --fil x; echo "code $?"
mcp_config_load --file; echo "code $?"
printf -v long '{"t":"%*s"}' 200000 ''
mcp_config_load --defaults "$long"
v="$(mcp_config_get .t)"; echo "${#v}"
/bin/true && echo "a process starts"`)
	is.Equal(e.stdout, `{"a":"env","b":"file","c":"file","d":"example","e":1}
file
file
code 1
code 1
code 1
code 1
200000
a process starts
`)
	is.Equal(e.stderr, `mcp_config_load: no configuration was found
mcp_config_load: broken.json is not a JSON object
mcp_config_load: unknown option "--fil"
mcp_config_load: --file needs a value
`)
}
