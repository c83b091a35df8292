package sdk

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// handy returns a tool without a server, with this test program as mcp-bash on PATH.
func handy(t *testing.T) *tool {
	t.Helper()
	if testing.Short() {
		t.Skip("by hand each helper starts a program, which takes minutes in all; without -short they are tested")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "mcp-bash"))
	}
	if err != nil {
		t.Skip("the system does not allow this user to make links, so there is no mcp-bash to call: ", err)
	}
	return &tool{byHand: true, path: dir + ":/usr/bin:/bin"}
}

// Without a server the answers are the same as with one, for any text in both directions.
func TestAnswersAreTheSameWithoutAServer(t *testing.T) {
	const args = `{"name":"Ada","n":7,"yes":true,"no":false,"nil":null,"empty":"","list":[1,"two",null],` +
		`"text":"7","f":2.5,"one":1,"zero":0,"words":["yes","OFF","1","0","True","-12"]}`
	c := channelOf(Call{Args: []byte(args)})
	var text strings.Builder
	var want []string
	quoted := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	text.WriteString("set +e\n")
	for _, line := range [][]string{
		{"args_get", ".name"}, {"args_get", ".missing"}, {"args_get", ".missing", "--default", "x y"},
		{"args_get", "--default", "x", ".missing"},
		{"args_get", "empty"}, {"args_get", ".list[]"}, {"args_get", "--arg", "k", "name", ".[$k]"},
		{"args_get", ".[$k]", "--arg", "k", "n"},
		{"args_require", ".name"}, {"args_require", ".no"}, {"args_require", ".nil"}, {"args_require", ".empty"},
		{"args_require", ".missing", "Say who"},
		{"args_bool", ".yes"}, {"args_bool", ".no", "--default", "true"}, {"args_bool", ".missing", "--default", "true"},
		{"args_bool", ".text"}, {"args_bool", ".one"}, {"args_bool", ".zero"}, {"args_bool", ".words[0]"},
		{"args_bool", ".words[1]"}, {"args_bool", ".words[2]"}, {"args_bool", ".words[3]"}, {"args_bool", ".words[4]"},
		{"args_bool", ".missing", "--default", "No"}, {"args_bool", ".missing", "--default", "maybe"}, {"args_int", ".text"},
		{"args_int", ".words[5]"}, {"args_int", ".words[0]"},
		{"args_int", ".n"}, {"args_int", ".n", "--min", "8"}, {"args_int", ".n", "--max", "6"}, {"args_int", ".f"},
		{"args_int", ".missing", "--default", "10"},
		{"jq", ".a", `{"a":[1]}`}, {"jq", "--arg", "x", `"`, "[$x,.]", "1"},
		{"json_escape", "a\"\\\n\té'"}, {"json_obj", "z", "1", "a", "", "z", "2"}, {"json_obj", "z"},
		{"json_arr", "a", "", `"`}, {"json_arr"},
		{"is_valid_json", `{}`}, {"is_valid_json", `1 2`}, {"is_valid_json", ``}, {"is_valid_json", `{a`},
		{"emit_json", `{ "a" : [ ] }`}, {"emit_json", `{bad`},
		{"result_success 99", `{"a":[1]}`}, {"result_success 99", ""}, {"result_success 99", "1 2"},
		{"result_success 2", `[1,2]`}, {"result_success 2", `{"a":1}`},
		{"result", `{ "content": [] }`}, {"result", `[]`}, {"result", `{`},
		{"result_error", `{"type":"t","message":"m","id":7}`}, {"result_error", `oops`}, {"result_error", `{}`},
		{"error", "not_found", "no", "--hint", "look", "--data", `{"a":1}`}, {"error", "x", "y", "--data", "not json"},
		{"error", "", "y"}, {"error", "", ""}, {"error", "x", "42"}, {"result_error", `{"type":"t","message":42}`},
		{"result_error", `{"type":"","message":null}`},
		{"result_text 99", "plain"}, {"result_text 99", "[1]"},
		{"fail", "-32001", `back\slash "q"`, `[1]`}, {"fail", "x"},
		{"resources", "--path", "/a b", "--mime", "text/plain", "--path", "c", "--uri", "x:c"},
		{"json_truncate", "[1,2,3]", "7"}, {"json_truncate", "[1,2,3]", "5"}, {"json_truncate", "[1,2,3]", "2"},
		{"json_truncate", `{"meta":"kept","results":[10,20,30]}`, "33"},
		{"json_truncate", `{"a":{"b":[1,2,3]},"z":0}`, "23", "--array-path", ".a.b"},
		{"json_truncate", `{"a":1}`, "3", "--array-path", ".a.b"},
		{"json_truncate", `{"a":1}`, "3", "--array-path", ".a"}, {"json_truncate", `{"a":1}`, "3", "--array-path", "a[0]"},
		{"json_truncate", `{"a":1}`, "3"}, {"json_truncate", `{`},
		{"json_truncate", `{"a":1}`, "99", "--array-path", ".b"}, {"json_truncate", `{"a":1}`, "99", "--array-path", ".a"},
		{"json_truncate", `{"a":[1]}`, "99", "--array-path", ".a"}, {"json_truncate", `7`, "0"},
		{"json_truncate", `{"results":1}`, "3"},
		{"extract_cli_error", `{"error":{"message":"a"}}`, "e", "2"}, {"extract_cli_error", `{"error":"b"}`, "e", "2"},
		{"extract_cli_error", `{"success":false,"message":"c"}`, "e", "2"},
		{"extract_cli_error", `{"message":"no"}`, " e \n", "2"},
		{"extract_cli_error", `{"errors":[{"message":"f"}]}`, "", "2"}, {"extract_cli_error", `text`, "", "2"},
		{"config_merge", "--defaults", `{"a":1,"b":{"x":1}}`, "file", `{"b":{"y":2},"c":3}`},
		{`config_get {"a":false,"b":"","c":null}`, ".a"}, {`config_get {"a":false,"b":"","c":null}`, ".b", "--default", "x"},
		{`config_get {"a":false,"b":"","c":null}`, ".c"}, {`config_get `, ".c", "--default", "x"},
		{"result_with_ui ui://s/own", "ui://s/x", "text"}, {"result_with_ui ui://s/own", "", "text"},
		{"result_with_ui ", "", "text"}, {"result_with_ui ", "ui://s/x", "text", `{"a":1}`},
		{"result_with_ui_data ", "ui://x", "two", `{"a":2}`}, {"tool_meta_with_ui", "ui://x"},
		{"tool_meta_with_ui", "ui://x", "app"},
		{"path_collapse", "a//b/./c/../d/"}, {"path_collapse", "/../a/.."}, {"path_collapse", "../../a/../b"},
		{"path_collapse", ""}, {"path_collapse", "a/.."},
		{"roots_count"}, {"roots_list"}, {"client_supports_ui"}, {"client_supports", "roots"},
	} {
		for i, word := range line {
			if i > 0 {
				text.WriteByte(' ')
			} else {
				text.WriteString("printed ")
			}
			text.WriteString(quoted(word))
		}
		text.WriteByte('\n')
		want = append(want, line[0]+": "+c.printed(line[0], line[1:]...))
	}
	x := handy(t)
	x.env = []string{"MCP_TOOL_ARGS_JSON=" + args}
	e := x.run(t, `
printed() {
	_mcp_call "$@" 2>/dev/null
	case $_mcp_kind in
	o) printf '%s: %s\0' "$1" "$_mcp_value" ;;
	n) printf '%s: code %s\0' "$1" "$_mcp_code" ;;
	f) printf '%s: ends with %s\0' "$1" "${_mcp_value/"$_mcp_nl"/ and }" ;;
	i) printf '%s: reads stdin\0' "$1" ;;
	*) printf '%s: code %s: %s\0' "$1" "$_mcp_code" "$_mcp_value" ;;
	esac
}
`+text.String())
	got := strings.Split(strings.TrimSuffix(e.stdout, "\x00"), "\x00")
	is := is.New(t)
	is.Equal(e.stderr, "")
	is.Equal(len(got), len(want))
	for i := range got {
		is.Equal(got[i], want[i])
	}
}

func TestWithoutAServerProgressAndLogsGoToStderr(t *testing.T) {
	is := is.New(t)
	e := handy(t).run(t, `
mcp_progress 45.5 "half way" 90
mcp_progress 50%
mcp_progress x || echo no
mcp_log WARN db '{"a":1}'
mcp_log_info db "two words"
mcp_is_cancelled || echo "not cancelled"
mcp_elicit_confirm "Sure?" || echo "code $?"
mcp_ask --timeout 5 'who"' roots/list '{}' what roots/list '{}'
mcp_download_safe --url https://example.com --out x
mcp_sample hi || echo "code $?"
mcp_byte_length é
MCPBASH_DEBUG_LOG=log mcp_debug here; [[ $(<log) =~ ^\[[0-9:]{8}\]\ here$ ]] && echo logged`)
	is.Equal(e.stderr, `progress 45.5/90 half way
progress 50/100 
mcp_progress: "x" is not a number, so no progress is reported
warning db: {"a":1}
info db: two words
mcp_sample: the tool runs by hand
`)
	is.Equal(e.stdout, `not cancelled
{"action":"decline","content":null,"reason":"the tool runs by hand"}
code 1
{"who\"":{"error":"the tool runs by hand"},"what":{"error":"the tool runs by hand"}}
{"success":false,"error":{"type":"host_blocked","message":"example.com is not on an allow list; allow it with --allow or MCPBASH_HTTPS_ALLOW_HOSTS"}}
code 1
2
logged
`)
}

func TestAServerWithoutAChannelGetsProgressAndLogs(t *testing.T) {
	is := is.New(t)
	x := handy(t)
	stream := filepath.Join(t.TempDir(), "stream")
	x.env = []string{"MCP_PROGRESS_STREAM=" + stream, "MCP_PROGRESS_TOKEN=t-1", "MCP_LOG_STREAM=" + stream}
	e := x.run(t, `mcp_progress 45.5 "a \"b\"" 90; mcp_progress 700; mcp_log_warn db "x	y"; mcp_log Error db '{"a": 1}'
MCP_PROGRESS_TOKEN= mcp_progress 9`)
	is.Equal(e.String(), `stdout "", stderr "", code 0`)
	b, err := os.ReadFile(stream)
	is.NoErr(err)
	is.Equal(string(b),
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-1","progress":45.5,"total":90,"message":"a \"b\""}}
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-1","progress":100}}
{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"db","data":"x\ty"}}
{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"db","data":{"a":1}}}
`)
}

func TestWithoutAServerPathsAreChecked(t *testing.T) {
	is := is.New(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	is.NoErr(err)
	is.NoErr(os.MkdirAll(filepath.Join(dir, "root", "sub"), 0o700))
	is.NoErr(os.Symlink("/", filepath.Join(dir, "root", "out")))
	for _, test := range []struct{ path, want string }{
		{"sub/../new", dir + "/root/new\n"},
		{dir + "/root/sub", dir + "/root/sub\n"},
		{dir + "/rootless", "outside"},
		{"../x", "outside"},
		{"out/etc", "outside"},
		{"", dir + "/root\n"},
	} {
		x := handy(t)
		x.env = []string{"MCP_ROOTS_PATHS=" + dir + "/root", fmt.Sprintf(`MCP_TOOL_ARGS_JSON={"p":%q}`, test.path)}
		e := x.run(t, `mcp_require_path .p --default-to-single-root`)
		if test.want == "outside" {
			is.Equal(e.stderr, ".p is outside configured MCP roots\n")
			is.Equal(e.fault, `{"code":-32602,"message":".p is outside configured MCP roots"}`+"\n")
			is.Equal(e.code, 1)
			continue
		}
		is.Equal(e.stdout, test.want)
	}
}

func TestWithoutTheProgramAToolReportsWhatIsMissing(t *testing.T) {
	is := is.New(t)
	x := tool{byHand: true}
	x.env = []string{`MCP_TOOL_ARGS_JSON={"a":1}`}
	e := x.run(t, `
mcp_emit_text hello
mcp_args_get .a || echo "code $?"
mcp_fail -32001 "it broke"`)
	const missing = ": without a server this needs mcp-bash, which is not on PATH; install it, or add its folder to PATH\n"
	is.Equal(e.stdout, "hellocode 1\n")
	is.Equal(e.stderr, "mcp_args_get"+missing+"mcp_fail"+missing+"it broke\n")
	is.Equal(e.code, 1)
}

func TestWithoutAServerArgumentsMayComeFromAFile(t *testing.T) {
	is := is.New(t)
	x := handy(t)
	file := filepath.Join(t.TempDir(), "args")
	is.NoErr(os.WriteFile(file, []byte(ada), 0o600))
	x.env = []string{"MCP_TOOL_ARGS_FILE=" + file, "MCP_TOOL_ARGS_JSON="}
	e := x.run(t, `mcp_args_get .name; mcp_meta_raw; echo '{"a":"b"}' | mcp_jq .a`)
	is.Equal(e.String(), `stdout "Ada\n{}\nb\n", stderr "", code 0`)
}

func TestWithoutAServerALargeRequestIsRefused(t *testing.T) {
	is := is.New(t)
	request := io.LimitReader(endless{}, maxPayload+1)

	_, err := ByHand(t.Context(), request, io.Discard)

	is.True(err != nil && strings.Contains(err.Error(), "more than 67108864 bytes")) // refused instead of cut
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
