package sdk

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// ada holds the arguments that most tests use.
const ada = `{"name":"Ada"}`

func TestAToolReadsItsArguments(t *testing.T) {
	is := is.New(t)
	x := tool{call: Call{Args: []byte(ada)}}
	e := x.run(t, `mcp_args_get .name`)
	is.Equal(e.String(), `stdout "Ada\n", stderr "", code 0`)
}

func TestHelpersWorkInAllModesOfTheShell(t *testing.T) {
	bash := bash(t)
	for name, shell := range map[string][]string{
		"bash":        {bash},
		"posix":       {bash, "--posix"},
		"nounset":     {bash, "-u"},
		"errexit":     {bash, "-e"},
		"noclobber":   {bash, "-C"},
		"noglob":      {bash, "-f"},
		"allexport":   {bash, "-a"},
		"privileged":  {bash, "-p"},
		"nocasematch": {bash, "-O", "nocasematch"},
		"failglob":    {bash, "-O", "failglob", "-O", "nullglob"},
		"extglob":     {bash, "-O", "extglob"},
		"xpg_echo":    {bash, "-O", "xpg_echo"},
		"compat":      {bash, "-O", "compat31"},
		"functrace":   {bash, "-T", "-E"},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			x := connected(nil)
			x.shell, x.call.Args = shell, []byte(`{"text":"two\nlines","long":"`+strings.Repeat("x", 9000)+`"}`)
			e := x.run(t, `
x="$(mcp_args_get .text)"
mcp_json_arr "$x" "$(mcp_args_get .long | { IFS= read -r l; echo ${#l}; })"
mcp_log_info me "a
b"
mcp_args_int .none --default 5`)
			is.Equal(e.String(), `stdout "[\"two\\nlines\",\"9000\"]\n5\n", stderr "", code 0`)
			is.Equal(x.heard.String(), `info "me" "a\nb"`) // reported once
		})
	}
}

func TestHelpersWorkInAllLocales(t *testing.T) {
	for _, env := range []string{"LC_ALL=C", "LC_ALL=C.UTF-8", "LC_ALL=POSIX", "LC_ALL=nonsense", "IFS=0123", "POSIXLY_CORRECT=1", "TMOUT=1", "BASH_COMPAT=3.2"} {
		t.Run(env, func(t *testing.T) {
			is := is.New(t)
			x := tool{call: Call{Args: []byte(`{"t":"é😀\u0085\u2028","f":"` + strings.Repeat("ü", 5000) + `"}`)}, env: []string{env}}
			e := x.run(t, `
mcp_args_get .t
mcp_json_escape "$(mcp_args_get .f)"`)
			is.Equal(e.stderr, warning(t, env))                                       // only the shell's own warning
			is.Equal(e.stdout, "é😀\u0085\u2028\n\""+strings.Repeat("ü", 5000)+"\"\n") // unchanged
		})
	}
}

// warning returns the message of the shell itself for an unknown locale; Bash 3.2 prints none.
func warning(t *testing.T, env string) string {
	cmd := exec.Command(bash(t), "-c", ":")
	cmd.Env = []string{env}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return stderr.String()
}

// everything is a text with all characters that a shell variable can hold: each ASCII
// character, one of each block of 64 of all others.
func everything() string {
	var b strings.Builder
	for r := rune(1); r < 128; r++ {
		b.WriteRune(r)
	}
	for r := rune(128); r <= 0x10ffff; r += 61 {
		if r < 0xd800 || r > 0xdfff {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestEveryCharacterPassesUnchanged(t *testing.T) {
	for name, text := range map[string]string{
		"unicode":   everything(),
		"short":     "\x01\x02\x1e\x1f\x7f",
		"quotes":    `'"\$(touch x)` + "`id`" + `${HOME}\n%s%n!!~*?[a]{b,c}`,
		"newlines":  "\n\n a \n\t\n\n",
		"blanks":    "  two  blanks  ",
		"tabs":      "\ta\t",
		"returns":   "a\r\nb\r",
		"dashes":    "-n -e --",
		"equal":     "a=b=c",
		"backslash": `\`,
		"end":       "x\n",
		"one":       "\n",
		"empty":     "",
		"long":      strings.Repeat("\n", 5000),
		"long2":     strings.Repeat("x.", 5000) + ".\n.\n",
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			args, err := json.Marshal(map[string]string{"t": text})
			is.NoErr(err)
			x := connected(nil)
			x.call.Args = args
			e := x.run(t, `
mcp_args_get -v t .t
printf '%s' "$t" >bytes
mcp_log_info me "$t"
quoted=$(mcp_json_escape "$t")
mcp_jq -v again . "$quoted"
[ "$t" = "$again" ] && echo same
mcp_args_get -v arg --arg k "$t" '$k'
[ "$t" = "$arg" ] && echo same`)
			is.Equal(e.String(), `stdout "same\nsame\n", stderr "", code 0`)
			b, err := os.ReadFile(filepath.Join(filepath.Dir(x.call.Dir), "bytes"))
			is.NoErr(err)
			is.Equal(string(b), text) // from the server to the tool
			var logged string
			is.NoErr(json.Unmarshal([]byte(strings.TrimPrefix(x.heard.String(), `info "me" `)), &logged))
			is.Equal(logged, text) // and from the tool to the server
		})
	}
}

func TestInvalidUTF8BecomesReplacementCharacters(t *testing.T) {
	is := is.New(t)
	var x tool
	e := x.run(t, `mcp_json_escape $'a\xff\xc3b'; mcp_json_obj k $'\xed\xa0\x80'`)
	is.Equal(e.stdout, "\"a\ufffd\ufffdb\"\n{\"k\":\"\ufffd\ufffd\ufffd\"}\n") // as JSON
}

func TestAValueWithNULIsRefused(t *testing.T) {
	is := is.New(t)
	x := tool{call: Call{Args: []byte(`{"t":"a\u0000b","o":{"t":"\u0000"}}`)}}
	e := x.run(t, `mcp_args_get .o; mcp_args_get .t || echo "code $?"`)
	is.Equal(e.stdout, `{"t":"\u0000"}`+"\ncode 1\n")
	is.Equal(e.stderr, "mcp_args_get: the value contains U+0000, which a shell cannot hold\n")
}

func TestTenMegabytesPassBothWays(t *testing.T) {
	is := is.New(t)
	size := 10 << 20
	if os.Getenv(inShell) != "" {
		size = 1 << 20 // Bash 3.2 takes seconds for more; where it is the only one, as on macOS, it gets all
	}
	text := strings.Repeat("0123456789abcde\n", size/16)
	args, err := json.Marshal(map[string]string{"t": text})
	is.NoErr(err)
	x := connected(nil)
	x.call.Args = args
	e := x.run(t, `
mcp_args_get -v t .t
echo "${#t}"
mcp_json_escape "$t" >out.json`)
	is.Equal(e.String(), fmt.Sprintf(`stdout "%d\n", stderr "", code 0`, size))
	b, err := os.ReadFile(filepath.Join(filepath.Dir(x.call.Dir), "out.json"))
	is.NoErr(err)
	var back string
	is.NoErr(json.Unmarshal(b, &back))
	is.True(back == text) // unchanged
}

func TestMoreThanTheLimitIsRefused(t *testing.T) {
	is := is.New(t)
	c := &Channel{call: Call{Dir: t.TempDir()}}
	path := c.path("sdk.1.1")
	is.NoErr(os.WriteFile(path, nil, 0o600))
	is.NoErr(os.Truncate(path, maxPayload+1)) // a file with a hole
	_, err := c.payload("1.1")
	is.Equal(fmt.Sprint(err), "read "+path+": has more than 67108864 bytes")
	_, err = os.Stat(path)
	is.True(os.IsNotExist(err)) // and its room is free again
}

func TestManyJobsUseTheChannelAtOnce(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(`{"long":"` + strings.Repeat("y", 9000) + `"}`)
	e := x.run(t, `
job() {
	local i v
	for i in 0 1 2 3 4; do
		for j in 0 1 2 3 4 5 6 7 8 9; do
			v="$(mcp_json_arr "$1" $i$j)"
			[ "$v" = "[\"$1\",\"$i$j\"]" ] || echo "job $1: $v"
		done
		mcp_args_get -v v .long
		[ ${#v} = 9000 ] || echo "job $1: long"
		mcp_log_info job "$1.$i"
	done
}
for n in 0 1 2 3 4 5 6 7 8 9 a b c d e f; do job $n & done
wait
echo done`)
	is.Equal(e.String(), `stdout "done\n", stderr "", code 0`) // no job got the answer of another
	is.Equal(strings.Count(x.heard.String(), "\n"), 16*5-1)    // and nothing was lost or duplicated
}

func TestHelpersWorkInPipelinesAndSubshells(t *testing.T) {
	is := is.New(t)
	x := tool{call: Call{Args: []byte(ada)}}
	e := x.run(t, `
mcp_args_get '(.name)' | while read -r n; do echo "$(mcp_json_escape "$n")"; done
( cd /; ( mcp_args_get '(.name)' ) )
while read -r _; do mcp_args_get '(.name)'; done <<<x
cat() { while IFS= read -r l; do echo "$l"; done; }
mcp_jq .a < <(echo '{"a":1}')
echo '{"a":
2}' | mcp_jq .a
exec 3>&1 4>&2 9>/dev/null
mcp_args_get '(.name)' >&3 3>&-
mcp_args_get '(.name)' 0<&- 
exec 0<&-
mcp_args_get '(.name)'`)
	is.Equal(e.String(), `stdout "\"Ada\"\nAda\nAda\n1\n2\nAda\nAda\nAda\n", stderr "", code 0`)
}

// lost are ways to be killed while holding the lock.
var lost = map[string]string{
	"before the request": `_mcp_rare _mcp_take; kill -9 $BASHPID`,
	"after the request":  `_mcp_rare _mcp_take; ask; kill -9 $BASHPID`,
	"in the reply":       `_mcp_rare _mcp_take; ask; IFS= read -r -n 7 -u "$_mcp_replies" _; kill -9 $BASHPID`,
	"in a sized reply":   `_mcp_rare _mcp_take; _mcp_token+=#; ask; IFS= read -r -n 7 -u "$_mcp_replies" _; kill -9 $BASHPID`,
	"in its length":      `_mcp_rare _mcp_take; _mcp_token+=#; ask; IFS= read -r -n 2 -u "$_mcp_replies" _; kill -9 $BASHPID`,
	"near its end":       `_mcp_rare _mcp_take; _mcp_token+=#; ask; IFS= read -r -n 18 -u "$_mcp_replies" _; kill -9 $BASHPID`,
	"after the reply":    `_mcp_rare _mcp_take; ask; IFS= read -r -u "$_mcp_replies" _; kill -9 $BASHPID`,
}

func TestALostLockIsRestored(t *testing.T) {
	for name, how := range lost {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			x := tool{call: Call{Args: []byte(ada)}}
			began := time.Now()
			e := x.run(t, `
ask() { printf '\0%s' "$_mcp_token" 7.7 args_get .name "$_mcp_nl" >&"$_mcp_request"; }
(`+how+`) || :
mcp_args_get '(.name)'
mcp_args_get '(.name)'`)
			is.Equal(e.stdout, "Ada\nAda\n")            // by the next helper
			is.True(time.Since(began) < 15*time.Second) // soon
		})
	}
}

func TestStaleRepliesAreSkipped(t *testing.T) {
	is := is.New(t)
	x := tool{call: Call{Args: []byte(ada)}}
	e := x.run(t, `
for i in 1 2 3 4 5 6 7 8 9; do
	_mcp_rare _mcp_take
	printf '\0%s' "$_mcp_token" $i.$i args_get '"stale"' "$_mcp_nl" >&"$_mcp_request"
	printf %s "$_mcp_token" >&"$_mcp_unlock"
	_mcp_token=
done
mcp_args_get '(.name)'`)
	is.Equal(e.String(), `stdout "Ada\n", stderr "", code 0`)
}

// The script uses backquotes, since Bash 5.2 fails where the trap of a signal comes within a $(…), also
// in a script without the SDK: "trap: line 2: unexpected EOF while looking for matching `)'".
func TestWithoutTheServerHelpersFailAtOnce(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(ada)
	wait := x.startAndClose(t, `
mcp_args_get '(.name)'
set +e
echo >ready
until [ -e closed ]; do :; done
for i in 1 2 3; do (
	mcp_args_get '(.name)'
	echo "code $?"
) done
mcp_progress 5
mcp_log_info a b
mcp_fail -32000 "what went wrong"`)
	began := time.Now()
	e := wait()
	is.True(time.Since(began) < 5*time.Second) // at once
	is.Equal(e.stdout, "Ada\ncode 1\ncode 1\ncode 1\n")
	const gone = ": mcp-bash is gone, so nobody can answer\n"
	is.Equal(e.stderr, strings.Repeat("mcp_args_get"+gone, 3)+"mcp_progress"+gone+"mcp_log_info"+gone+"mcp_fail"+gone+"what went wrong\n")
	is.Equal(e.code, 1) // mcp_fail ends the tool nevertheless
}

// startAndClose starts a script, and closes its channel when there is a file "ready";
// then there is a file "closed".
func (x *tool) startAndClose(t *testing.T, text string) func() ended {
	t.Helper()
	x.opened, x.closes = make(chan *Channel, 1), true
	wait := x.start(t, text)
	c := <-x.opened
	<-x.started.read
	dir := filepath.Dir(x.call.Dir)
	waittest.Until(t, "the script is ready", func() bool {
		_, err := os.Stat(filepath.Join(dir, "ready"))
		return err == nil
	})
	c.Close()
	if err := os.WriteFile(filepath.Join(dir, "closed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return wait
}

func TestAHelperThatWaitsEndsWithTheChannel(t *testing.T) {
	for name, script := range map[string]string{
		"for the user": `mcp_elicit_confirm "Sure?"; echo "code $?"`,
		"for the lock": `_mcp_rare _mcp_take; (mcp_args_get '(.name)'; echo "code $?")`,
		"in a pause":   `_mcp_call pause 1000; echo "code $_mcp_code"`,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			asked := make(chan bool, 1)
			x := connected(nil)
			x.call.Args = []byte(ada)
			x.call.Ask = waitForEver(asked)
			began := time.Now()
			e := x.startAndClose(t, "set +e\necho >ready\n"+script)()
			is.True(time.Since(began) < 10*time.Second) // not only after a long wait
			is.True(e.code <= 1)
			t.Log(e)
		})
	}
}

func TestALongAnswerDoesNotKeepTheLock(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	release := make(chan bool)
	x := connected(func(method string, _ json.RawMessage) (string, error) {
		<-release
		return `{"action":"accept","content":{"confirmed":true}}`, nil
	})
	x.call.Args = []byte(ada)
	x.call.Log = nil
	wait := x.start(t, `
for i in 1 2 3; do mcp_elicit_confirm "Sure $i?" & done
for i in 1 2 3 4 5 6 7 8 9; do mcp_args_get '(.name)'; done
echo >ready
wait`)
	dir := filepath.Dir(x.call.Dir)
	waittest.Until(t, "the helpers that need no user are done", func() bool {
		_, err := os.Stat(filepath.Join(dir, "ready"))
		return err == nil
	})
	close(release)
	e := wait()
	is.Equal(e.stdout, strings.Repeat("Ada\n", 9)+strings.Repeat(`{"action":"accept","content":{"confirmed":true}}`+"\n", 3))
	is.Equal(e.stderr, "")
}

func TestWithClosedDescriptorsAToolWorksWithoutTheServer(t *testing.T) {
	is := is.New(t)
	x := tool{call: Call{Args: []byte(ada)}, path: handy(t).path, env: []string{`MCP_TOOL_ARGS_JSON={"name":"Bob"}`}}
	e := x.run(t, `
mcp_args_get .name
mcp_args_raw
unset _mcp_sdk
exec 20>&-
. "$MCP_SDK/tool-sdk.sh"
mcp_args_raw`)
	is.Equal(e.String(), `stdout "Ada\n{\"name\":\"Ada\"}\n{\"name\":\"Bob\"}\n", stderr "", code 0`)
}

func TestTheFolderIsEmptyAfterwards(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	x.call.Args = []byte(`{"long":"` + strings.Repeat("y", 9000) + `"}`)
	x.run(t, `
for i in 1 2 3 4 5; do mcp_json_escape "$(mcp_args_get .long)" >/dev/null; done
_mcp_call pause 0.2
(_mcp_call pause 1000) &
mcp_args_get .long >/dev/null`)
	left, err := os.ReadDir(x.call.Dir)
	is.NoErr(err)
	is.Equal(fmt.Sprint(left), "[]")
}

func TestManyLongAnswersLeaveNothingOpen(t *testing.T) {
	is := is.New(t)
	x := tool{call: Call{Args: []byte(`{"long":"` + strings.Repeat("y", 9000) + `"}`)}}
	e := x.run(t, `
for i in 1 2 3 4 5 6 7 8 9 0; do
	for j in 1 2 3 4 5 6 7 8 9 0; do mcp_args_get -v v .long; done
done
_mcp_call pause 0.15
mcp_args_get .name --default none
set -- "$_mcp_dir"/*
echo "$#: ${1##*/}"`)
	is.Equal(e.stdout, "none\n1: *\n") // files are removed once read
}

func TestAChannelThatIsClosedTwiceClosesNothingElse(t *testing.T) {
	is := is.New(t)
	var s Server
	c, err := s.Open(t.Context(), Call{Dir: t.TempDir()})
	is.NoErr(err)
	c.Close()
	var others []*os.File // with the descriptors that are free now
	for range 12 {
		r, w, err := os.Pipe()
		is.NoErr(err)
		others = append(others, r, w)
	}
	c.Close()
	for i := 0; i < len(others); i += 2 {
		_, err := others[i+1].Write([]byte("ours"))
		is.NoErr(err)
		b := make([]byte, 10)
		n, err := others[i].Read(b)
		is.NoErr(err)
		is.Equal(string(b[:n]), "ours") // and no descriptor of the channel
		is.NoErr(others[i].Close())
		is.NoErr(others[i+1].Close())
	}
}
