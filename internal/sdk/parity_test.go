package sdk

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// A function is a helper of the Bash program: how ours differs, and a documented example.
type function struct {
	name    string
	differs string // how it differs on purpose; "" if it does not
	script  string
	stdout  string
	served  bool // the example needs a server
}

const declined = `{"action":"decline","content":null,"reason":"the client does not support it"}` + "\n1\n"

const withPage = `{"content":[{"type":"text","text":"text"}],"structuredContent":{"a":1},"isError":false,` +
	`"_meta":{"ui":{"resourceUri":"ui://s/x"}}}` + "\n"

// succeeded is the line with the result of a tool that has succeeded, failed that of one that has not. They have a text
// and a member of the structured content.
func succeeded(text, structured string) string { return ends(text, structured, true) }
func failed(text, structured string) string    { return ends(text, structured, false) }

func ends(text, structured string, success bool) string {
	const line = `{"content":[{"type":"text","text":%q}],"structuredContent":{"success":%t,%s},"isError":%t}` + "\n"
	return fmt.Sprintf(line, text, success, structured, !success)
}

// parity lists all functions of the Bash program's SDK. The manual lists the differences too.
var parity = []function{
	{name: "mcp_json_escape", script: `mcp_json_escape 'a"b\c'`, stdout: `"a\"b\\c"` + "\n"},
	{name: "mcp_json_obj", differs: "returns 1 where a value is missing, and does not exit: what called it can say more",
		script: `mcp_json_obj a 1 b 'x "y"'; mcp_json_obj`, stdout: `{"a":"1","b":"x \"y\""}` + "\n{}\n"},
	{name: "mcp_json_arr", script: `mcp_json_arr a 'b c'; mcp_json_arr`, stdout: `["a","b c"]` + "\n[]\n"},
	{name: "mcp_args_raw", script: `mcp_args_raw | mcp_jq .n`, stdout: "7\n"},
	{name: "mcp_args_get", differs: "knows --default, which was ignored",
		script: `mcp_args_get .name; mcp_args_get .missing; mcp_args_get '.list[]'`, stdout: "Ada\nnull\n1\n2\n"},
	{name: "mcp_meta_raw", script: `mcp_meta_raw | mcp_jq .trace`, stdout: "x\n"},
	{name: "mcp_meta_get", script: `mcp_meta_get .trace`, stdout: "x\n"},
	{name: "mcp_args_require", script: `
mcp_args_require .name
(mcp_args_require .empty) || echo $?
(mcp_args_require .missing "Say who") || :`,
		stdout: `Ada
{"code":-32602,"message":".empty is required"}
1
{"code":-32602,"message":"Say who"}
`},
	{name: "mcp_args_bool", script: `
mcp_args_bool .yes
mcp_args_bool .zero
mcp_args_bool .missing --default on
(mcp_args_bool .name) || :`,
		stdout: "true\nfalse\ntrue\n" + `{"code":-32602,"message":".name must be true or false"}` + "\n"},
	{name: "mcp_args_int", script: `
mcp_args_int .n --min 7 --max 7
mcp_args_int .s
mcp_args_int .missing --default 3
(mcp_args_int .n --max 5) || :
(mcp_args_int .n --min 8) || :
(mcp_args_int .name) || :`,
		stdout: `7
7
3
{"code":-32602,"message":".n must be <= 5"}
{"code":-32602,"message":".n must be >= 8"}
{"code":-32602,"message":".name must be an integer"}
`},
	{name: "mcp_is_valid_json", script: `mcp_is_valid_json '{}' && echo yes; mcp_is_valid_json '1 2' || echo $?`,
		stdout: "yes\n1\n"},
	{name: "mcp_byte_length", script: `mcp_byte_length é`, stdout: "2\n"},

	{name: "mcp_progress",
		differs: "takes fractions and percent signs, and values over 100 where there is a total; " +
			"a text is refused, not taken as 0",
		script: `mcp_progress 50 half; mcp_progress 3 three 9; echo $?`, stdout: "0\n"},
	{name: "mcp_log", differs: "logs what is not JSON as text", script: `mcp_log INFO me '{"a":1}'; echo $?`,
		stdout: "0\n"},
	{name: "mcp_log_debug", script: `mcp_log_debug me text; echo $?`, stdout: "0\n"},
	{name: "mcp_log_info", script: `mcp_log_info me text; echo $?`, stdout: "0\n"},
	{name: "mcp_log_warn", script: `mcp_log_warn me text; echo $?`, stdout: "0\n"},
	{name: "mcp_log_error", script: `mcp_log_error me text; echo $?`, stdout: "0\n"},
	{name: "mcp_debug", script: `
mcp_debug text
MCPBASH_DEBUG_LOG=log mcp_debug one two
[[ $(<log) =~ ^\[[0-9:]{8}\]\ one\ two$ ]] && echo logged`, stdout: "logged\n"},
	{name: "mcp_is_cancelled", script: `
mcp_is_cancelled || echo $?
printf '' >"$MCP_CANCEL_FILE"
mcp_is_cancelled && echo yes`, stdout: "1\nyes\n"},
	{name: "mcp_with_retry", script: `
n=0
try() { n=$((n + 1)); return "$1"; }
mcp_with_retry 3 0.01 -- try 2 || echo "$? $n"
n=0
mcp_with_retry 3 0.01 -- try 3 || echo "$? $n"`, stdout: "2 1\n3 3\n"},
	{name: "mcp_run_with_progress", script: `
mcp_run_with_progress --pattern '^([0-9]+)%' --extract match1 --quiet -- eval 'echo out; echo 5% >&2; exit 7' || echo $?
mcp_run_with_progress -- true 2>/dev/null || echo $?`, stdout: "out\n7\n1\n"},
	{name: "mcp_extract_cli_error", script: `
mcp_extract_cli_error '{"error":{"message":"a"}}' e 2
mcp_extract_cli_error '{"error":"b"}' e 2
mcp_extract_cli_error '{"ok":false,"message":"c"}' e 2
mcp_extract_cli_error '{"errors":[{"message":"d"}]}' e 2
mcp_extract_cli_error '' e 2
mcp_extract_cli_error '' '' 2`,
		stdout: "a\nb\nc\nd\ne\nCLI exited with code 2\n"},

	{name: "mcp_fail", script: `(mcp_fail -32001 boom '{"a":1}') || echo $?; (mcp_fail x) || :; echo; `,
		stdout: `{"code":-32001,"message":"boom","data":{"a":1}}
1
{"code":-32603,"message":"Tool failed"}

`},
	{name: "mcp_fail_invalid_args", script: `(mcp_fail_invalid_args) || echo $?`,
		stdout: `{"code":-32602,"message":"Invalid params"}
1
`},
	{name: "mcp_emit_text", script: `mcp_emit_text "a  b"; mcp_emit_text c`, stdout: "a  bc"},
	{name: "mcp_emit_json", script: `mcp_emit_json '{ "a": 1 }'`, stdout: `{"a":1}` + "\n"},
	{name: "mcp_result_success", script: `
mcp_result_success '{"a":1}'
mcp_result_success '[1,2]' 3
mcp_result_success ''
echo $?`,
		stdout: succeeded(`{"success":true,"result":{"a":1}}`, `"result":{"a":1}`) +
			succeeded(`Success: array with 2 items`, `"result":[1,2]`) +
			failed(`the result is empty`, `"error":{"type":"invalid_json","message":"the result is empty"}`) +
			"0\n"},
	{name: "mcp_result_error", script: `
mcp_result_error '{"type":"not_found","message":"no","hint":"look"}'
mcp_result_error '{"type":"t","message":42}'
echo $?`,
		stdout: failed(`no`, `"error":{"type":"not_found","message":"no","hint":"look"}`) +
			failed(`42`, `"error":{"type":"t","message":42}`) +
			"0\n"},
	{name: "mcp_error", script: `mcp_error not_found no --hint look --data '{"a":1}'; mcp_error "" 42; echo $?`,
		stdout: failed(`no`, `"error":{"type":"not_found","message":"no","hint":"look","data":{"a":1}}`) +
			failed(`42`, `"error":{"type":"internal_error","message":"42"}`) +
			"0\n"},
	{name: "mcp_result_text_with_resource", differs: "takes plain text too, which was an error",
		script: `mcp_result_text_with_resource '{"a":1}' --path a.txt --mime text/plain`,
		stdout: succeeded(`{"success":true,"result":{"a":1}}`, `"result":{"a":1}`)},
	{name: "mcp_json_truncate", script: `
mcp_json_truncate '[1,2,3]' 6
mcp_json_truncate '{"results":[1,2]}' 99
mcp_json_truncate '{"a":1}' 99 --array-path .b | mcp_jq .error.type
mcp_json_truncate '{"a":1}' 99 --array-path .a | mcp_jq .error.type
mcp_json_truncate '{"a":1}' 99 --array-path 'a[0]' | mcp_jq .error.type
mcp_json_truncate '{' | mcp_jq .error.type`,
		stdout: `{"result":[1,2],"truncated":true,"kept":2,"total":3}
{"result":{"results":[1,2]},"truncated":false}
path_not_found
invalid_array_path
invalid_path_syntax
invalid_json
`},

	{name: "mcp_roots_list", script: `mcp_roots_list`, stdout: "/\n"},
	{name: "mcp_roots_count", script: `mcp_roots_count`, stdout: "1\n"},
	{name: "mcp_roots_contains", script: `mcp_roots_contains /no/such && echo yes`, stdout: "yes\n"},
	{name: "mcp_require_path", script: `
mcp_require_path .name
mcp_require_path .empty --default-to-single-root
mcp_require_path .empty --allow-empty
(mcp_require_path .empty) || :`,
		stdout: "/Ada\n/\n\n" + `{"code":-32602,"message":".empty is required"}` + "\n"},
	{name: "mcp_path_normalize", script: `
mcp_path_normalize /a/../b/./c
mcp_path_normalize --physical /no/../such`, stdout: "/b/c\n/such\n"},
	{name: "mcp_path_collapse", script: `mcp_path_collapse a//b/../c`, stdout: "a/c\n"},

	{name: "mcp_elicit", script: `mcp_elicit hm '{"type":"object","properties":{}}' 1 form || echo $?`, stdout: declined,
		served: true},
	{name: "mcp_elicit_url", script: `mcp_elicit_url hm https://example.com 1 || echo $?`, stdout: declined, served: true},
	{name: "mcp_elicit_string", script: `mcp_elicit_string hm || echo $?`, stdout: declined, served: true},
	{name: "mcp_elicit_confirm", script: `mcp_elicit_confirm hm || echo $?`, stdout: declined, served: true},
	{name: "mcp_elicit_choice", script: `mcp_elicit_choice hm a b || echo $?`, stdout: declined, served: true},
	{name: "mcp_elicit_titled_choice", script: `mcp_elicit_titled_choice hm a:A b:B || echo $?`, stdout: declined,
		served: true},
	{name: "mcp_elicit_multi_choice", script: `mcp_elicit_multi_choice hm a b || echo $?`, stdout: declined, served: true},
	{name: "mcp_elicit_titled_multi_choice", differs: "makes items.anyOf, as the specification has it, not items.oneOf",
		script: `mcp_elicit_titled_multi_choice hm a:A || echo $?`, stdout: declined, served: true},

	{name: "mcp_config_load", script: `
mcp_config_load --env CONF --defaults '{"a":1,"b":2}'
echo "$MCP_CONFIG_JSON"
mcp_config_load --file no-such-file 2>/dev/null || echo $?`, stdout: `{"a":9,"b":2}` + "\n1\n"},
	{name: "mcp_config_get", script: `
mcp_config_load --defaults '{"a":false,"b":"","c":null}'
mcp_config_get .a
mcp_config_get .b --default x
mcp_config_get .c || echo $?
mcp_config_get .c --default x`, stdout: "false\n\n1\nx\n"},
	{name: "mcp_download_safe", script: `
mcp_download_safe --url http://example.com --out x | mcp_jq .success,.error.type
mcp_download_safe --url https://example.com --out x | mcp_jq .error.type`, stdout: "false\ninvalid_url\nhost_blocked\n",
		served: true},
	{name: "mcp_download_safe_or_fail", script: `(mcp_download_safe_or_fail --url http://example.com --out x) || echo $?`,
		stdout: `{"code":-32602,"message":"Download failed (invalid_url): URL must use https://"}
1
`, served: true},

	{name: "mcp_client_supports_ui", differs: "answers: there it said no to every client",
		script: `mcp_client_supports_ui || echo $?`, stdout: "1\n"},
	{name: "mcp_result_with_ui", script: `mcp_result_with_ui ui://s/x text '{"a":1}'`,
		stdout: withPage},
	{name: "mcp_result_with_ui_data", script: `mcp_result_with_ui_data ui://s/x text '{"a":1}'`,
		stdout: withPage},
	{name: "mcp_tool_meta_with_ui", script: `mcp_tool_meta_with_ui ui://s/x; mcp_tool_meta_with_ui ui://s/x app`,
		stdout: `{"ui":{"resourceUri":"ui://s/x","visibility":["model","app"]}}
{"ui":{"resourceUri":"ui://s/x","visibility":["app"]}}
`},
	{name: "mcp_ui_form", differs: "makes a page: there its templates were not loaded in tools, and it failed",
		script: `[[ $(mcp_ui_form '{"fields":[{"name":"a"}]}') == *'"name":"a"'* ]] && echo yes`, stdout: "yes\n",
		served: true},
	{name: "mcp_ui_table", differs: "makes a page: there its templates were not loaded in tools, and it failed",
		script: `[[ $(mcp_ui_table '{"rows":[["a"]]}') == *'"data":[["a"]]'* ]] && echo yes`, stdout: "yes\n", served: true},
}

// ours are functions that the Bash program does not have.
var ours = []string{"mcp_ask", "mcp_client_supports", "mcp_jq", "mcp_require_capability", "mcp_sample"}

func TestEveryFunctionOfTheBashProgramAnswersAsDocumented(t *testing.T) {
	const args = `{"name":"Ada","n":7,"s":"7","yes":"yes","zero":0,"empty":"","list":[1,2]}`
	tools := func() map[string]*tool {
		served := &tool{call: Call{
			Args: []byte(args), Meta: []byte(`{"trace":"x"}`),
			Roots: func(context.Context) ([]string, error) { return []string{"/"}, nil },
		}, env: []string{`CONF={"a":9}`}}
		all := map[string]*tool{"in a server": served}
		all["by hand"] = &tool{byHand: true, path: handy(t).path, env: []string{
			`CONF={"a":9}`, "MCP_TOOL_ARGS_JSON=" + args, `MCP_TOOL_META_JSON={"trace":"x"}`, "MCP_ROOTS_PATHS=/",
		}}
		return all
	}
	for _, f := range parity {
		for where, x := range tools() {
			if f.served && x.byHand {
				continue
			}
			t.Run(f.name+" "+where, func(t *testing.T) {
				is := is.New(t)
				is.Equal(x.run(t, f.script).stdout, f.stdout)
			})
		}
	}
}

func TestEveryFunctionHasARow(t *testing.T) {
	want := slices.Clone(ours)
	for _, f := range parity {
		want = append(want, f.name)
	}
	have := functionsOf(t, new(tool))
	for _, name := range have {
		if !slices.Contains(want, name) {
			t.Errorf("%s has no row in parity and, if the Bash program does not have it, is not one of ours", name)
		}
	}
	for _, name := range want {
		if !slices.Contains(have, name) {
			t.Errorf("%s is not a function of tool-sdk.sh", name)
		}
	}
}

func TestTheManualListsTheDifferences(t *testing.T) {
	b, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "\n## Coming from the Bash framework\n")
	for _, f := range parity {
		if listed := strings.Contains(section, "`"+f.name+"`"); listed != (f.differs != "") {
			t.Errorf("%s: the table says %q, the manual's last chapter names it: %v", f.name, f.differs, listed)
		}
	}
}
