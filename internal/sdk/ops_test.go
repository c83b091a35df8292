package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

// channelOf returns a channel without a tool, whose operations a test calls directly.
func channelOf(call Call) *Channel {
	if call.Args == nil {
		call.Args = []byte(`{"name":"Ada","n":7,"f":2.5,"big":123456789012345678901234567890,"sci":1e2,"whole":5.0,
			"yes":true,"no":false,"nil":null,"empty":"","list":[1,"two",null],"obj":{"b":1,"a":2.50},"text":"7"}`)
	}
	return &Channel{server: new(Server), call: call}
}

// printed returns the answer of an operation as text: the output of the helper, or its code and message.
func (c *Channel) printed(op string, args ...string) string {
	a := c.do(context.Background(), op, args)
	switch a.kind {
	case output:
		return a.value
	case nothing:
		return fmt.Sprint("code ", a.code)
	case fatal:
		return "ends with " + strings.ReplaceAll(a.value, "\n", " and ")
	case input:
		return "reads stdin"
	default:
		return fmt.Sprintf("code %d: %s", a.code, a.value)
	}
}

type opTest struct {
	op   string
	args []string
	want string
}

func runOps(t *testing.T, c *Channel, tests []opTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s %q", test.op, test.args), func(t *testing.T) {
			is := is.New(t)
			is.Equal(c.printed(test.op, test.args...), test.want)
		})
	}
}

const (
	invalidParams = `ends with {"code":-32602,"message":"`
)

// refused returns the answer that ends the tool with "Invalid params" and a message without quotes.
func refused(message string) string { return invalidParams + message + `"} and ` + message }

// answered is a result with a text and a structured content, both as JSON.
func answered(text, structured string, failed bool) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"structuredContent":%s,"isError":%t}`, text, structured,
		failed)
}

// fails is one of a tool that has failed, with an error as JSON.
func fails(text, err string) string { return answered(text, `{"success":false,"error":`+err+`}`, true) }

func TestArguments(t *testing.T) {
	runOps(t, channelOf(Call{Meta: []byte(`{"k":1}`)}), []opTest{
		{"args_get", []string{".name"}, "Ada"},
		{"args_get", []string{".missing"}, "null"},
		{"args_get", []string{".missing", "--default", "x y"}, "x y"},
		{"args_get", []string{"--default", "x", ".missing"}, "x"},
		{"args_get", []string{".no", "--default", "x"}, "false"},
		{"args_get", []string{".empty", "--default", "x"}, ""},
		{"args_get", []string{"empty"}, "code 0"},
		{"args_get", []string{"empty", "--default", "x"}, "x"},
		{"args_get", []string{".list[]"}, "1\ntwo\nnull"},
		{"args_get", []string{".obj"}, `{"a":2.50,"b":1}`},
		{"args_get", []string{"--arg", "k", "name", ".[$k]"}, "Ada"},
		{"args_get", []string{".[$k]", "--arg", "k", "n"}, "7"},
		{"args_get", []string{".big"}, "123456789012345678901234567890"},
		{"args_get", nil, "code 2: requires a jq filter such as .name"},
		{"args_get", []string{".name", "--nope"}, `code 2: unknown option "--nope"`},
		{"args_get", []string{".name", "--default"}, "code 2: --default needs a value"},
		{"args_get", []string{".name["}, `code 3: ".name[" is not a jq filter: unexpected EOF`},
		{"args_get", []string{".name.x"}, `code 5: expected an object but got: string ("Ada")`},
		{"meta_get", []string{".k"}, "1"},
		{"meta_raw", nil, `{"k":1}`},

		{"args_require", []string{".name"}, "Ada"},
		{"args_require", []string{".empty"}, refused(".empty is required")},
		{"args_require", []string{".no"}, "false"},
		{"args_require", []string{".nil"}, refused(".nil is required")},
		{"args_require", []string{".missing", "Say who"}, refused("Say who")},
		{"args_require", []string{".["}, `code 3: ".[" is not a jq filter: unexpected EOF`},

		{"args_bool", []string{".yes"}, "true"},
		{"args_bool", []string{".no"}, "false"},
		{"args_bool", []string{".no", "--default", "true"}, "false"},
		{"args_bool", []string{".missing", "--default", "true"}, "true"},
		{"args_bool", []string{".missing"}, refused(".missing is required")},
		{"args_bool", []string{".text"}, refused(".text must be true or false")},

		{"args_int", []string{".n"}, "7"},
		{"args_int", []string{".sci"}, "100"},
		{"args_int", []string{".whole"}, "5"},
		{"args_int", []string{".big"}, "123456789012345678901234567890"},
		{"args_int", []string{".big", "--max", "123456789012345678901234567889"},
			refused(".big must be <= 123456789012345678901234567889")},
		{"args_int", []string{".n", "--min", "8"}, refused(".n must be >= 8")},
		{"args_int", []string{".n", "--min", "-8", "--max", "7"}, "7"},
		{"args_int", []string{".f"}, refused(".f must be an integer")},
		{"args_int", []string{".text"}, "7"},
		{"args_int", []string{".empty"}, refused(".empty must be an integer")},
		{"args_bool", []string{".nil", "--default", "YES"}, "true"},
		{"args_int", []string{".missing", "--default", "10", "--min", "20"}, "10"},
		{"args_int", []string{".missing"}, refused(".missing is required")},
		{"args_int", []string{".n", "--min", "x"}, `code 1: --min "x" is not an integer`},

		{"jq", []string{".a", `{"a":[1.0]}`}, "[1.0]"},
		{"jq", []string{"--arg", "x", `"`, "[$x,.]", "1"}, `["\"",1]`},
		{"jq", []string{".a"}, "reads stdin"},
		{"jq", []string{".a", "{"}, "code 2: the input is not JSON: unexpected EOF"},
		{"jq", []string{"-r", ".x", "{}"},
			"code 2: unknown option -r: mcp_jq always prints strings without quotes and one value a line; call it as " +
				"mcp_jq [--arg NAME VALUE]... FILTER [TEXT]"},
		{"jq", []string{".a", "1", "2"},
			"code 2: too many arguments; options come before the filter, quotes around the text"},
		{"jq", []string{".", ""}, "code 0"},
		{"nonsense", nil, "code 1: unknown helper: the SDK that the tool sources is from another version than the server"},
	})
}

func TestMissingArgumentsAreAnEmptyObject(t *testing.T) {
	is := is.New(t)
	c := &Channel{server: new(Server)}
	is.Equal(c.printed("args_raw"), "{}")
	is.Equal(c.printed("meta_raw"), "{}")
	is.Equal(c.printed("args_get", ".a", "--default", "b"), "b")
}

func TestIntegersAreReadExactly(t *testing.T) {
	for literal, want := range map[string]string{
		"0": "0", "-0": "0", "-0.0": "0", "10": "10", "-7": "-7", "1e3": "1000", "1E+3": "1000", "100e-2": "1", "0.5e1": "5",
		"-12.50e1": "-125",
		"0e-999":   "0", "1e1001": "", "1e999999999999": "", "0.5": "", "-0.5": "", "1e-1": "", "": "", "-": "", "+5": "",
		"5-3": "", "-5-3": "", "0x10": "", "1_000": "", `"5"`: "", "null": "", ".": "",
	} {
		t.Run(literal, func(t *testing.T) {
			is := is.New(t)
			got := ""
			if n, ok := integer(literal); ok {
				got = n.String()
			}
			is.Equal(got, want)
		})
	}
}

func TestJSON(t *testing.T) {
	runOps(t, channelOf(Call{}), []opTest{
		{"json_escape", []string{"a\"\\\n\r\t\x01\x1f\x7f/é\u2028"}, `"a\"\\\n\r\t\u0001\u001f` + "\x7f/é\u2028" + `"`},
		{"json_escape", nil, `""`},
		{"json_obj", nil, `{}`},
		{"json_obj", []string{"z", "1", "a", "", "z", "2"}, `{"z":"2","a":""}`},
		{"json_obj", []string{"z"}, `code 1: "z" has no value; pass names and values alternately`},
		{"json_arr", []string{"a", "", `"`}, `["a","","\""]`},
		{"json_arr", nil, `[]`},
		{"is_valid_json", []string{` {"a":[1,null]} `}, "code 0"},
		{"is_valid_json", []string{`1 2`}, "code 1"},
		{"is_valid_json", []string{``}, "code 1"},
		{"is_valid_json", []string{`{a:1}`}, "code 1"},
		{"is_valid_json", []string{"\"\xff\""}, "code 1"},
		{"is_valid_json", []string{`"\ud800"`}, "code 0"},
		{"emit_json", []string{"{ \"b\" : 1.0,\n \"a\" : [ ] }"}, `{"b":1.0,"a":[]}`},
		{"emit_json", []string{"{"}, `code 1: that is not JSON`},
	})
}

func TestResults(t *testing.T) {
	empty := fails(`"the result is empty"`, `{"type":"invalid_json","message":"the result is empty"}`)
	long := `"` + strings.Repeat("ü", 200) + `"`
	runOps(t, channelOf(Call{}), []opTest{
		{"result_success 1000", []string{`{"b":1.0, "a":[]}`},
			answered(`"{\"success\":true,\"result\":{\"b\":1.0,\"a\":[]}}"`, `{"success":true,"result":{"b":1.0,"a":[]}}`,
				false)},
		{"result_success 1000", []string{""}, empty},
		{"result_success 1000", []string{" \n"}, empty},
		{"result_success 1000", []string{"1 2"}, strings.ReplaceAll(empty, "is empty", "is not one JSON value")},
		{"result_success 1000", []string{"[1,2,3]", "3"},
			answered(`"Success: array with 3 items"`, `{"success":true,"result":[1,2,3]}`, false)},
		{"result_success 2", []string{`{"a":1}`},
			answered(`"Success: object with 1 keys"`, `{"success":true,"result":{"a":1}}`, false)},
		{"result_success 2", []string{long},
			`{"content":[{"type":"text","text":"` + strings.Repeat("ü", 100) +
				`…"}],"structuredContent":{"success":true,"result":` + long + `},"isError":false}`},
		{"result_success 9", []string{"1", "x"}, `code 1: "x" is not a number of bytes`},
		{"result_error", []string{`{"type":"not_found","message":"no such user","id":7}`},
			fails(`"no such user"`, `{"type":"not_found","message":"no such user","id":7}`)},
		{"result_error", []string{`oops`},
			fails(`"the tool failed with an error that is not a JSON object"`, `{"type":"internal_error",`+
				`"message":"the tool failed with an error that is not a JSON object","raw":"oops"}`)},
		{"result_error", []string{`{}`},
			fails(`"the tool failed"`, `{"type":"internal_error","message":"the tool failed"}`)},
		{"error", []string{"not_found", "-- no", "--hint", "look again", "--data", `{"a":1}`},
			fails(`"-- no"`, `{"type":"not_found","message":"-- no","hint":"look again","data":{"a":1}}`)},
		{"error", []string{"x", "y", "--data", `not json`},
			fails(`"y"`, `{"type":"x","message":"y","data":"not json"}`)},
		{"error", []string{"x", "y", "z"}, `code 1: unknown option "z"`},
		{"result_text 99", []string{"plain \"text\"\n"},
			`{"content":[{"type":"text","text":"plain \"text\"\n"}],"isError":false}`},
		{"result_text 99", []string{"[1]"},
			answered(`"{\"success\":true,\"result\":[1]}"`, `{"success":true,"result":[1]}`, false)},
		{"fail", []string{"-32001", "back\\slash \"q\"", `[1]`},
			`ends with {"code":-32001,"message":"back\\slash \"q\"","data":[1]} and back\slash "q"`},
		{"fail", []string{"x"}, `ends with {"code":-32603,"message":"Tool failed"} and Tool failed`},
		{"fail", []string{"1", "m", "text"}, `ends with {"code":1,"message":"m","data":"text"} and m`},
		{"resources", []string{"--path", "/a b", "--mime", "text/plain", "--path", "c", "--uri", "x:c"},
			`[{"path":"/a b","mimeType":"text/plain"},{"path":"c","uri":"x:c"}]`},
		{"resources", nil, `[]`},
		{"resources", []string{"--mime", "a"}, "code 1: --mime needs a --path before it"},
	})
}

func TestTruncating(t *testing.T) {
	runOps(t, channelOf(Call{}), []opTest{
		{"json_truncate", []string{"[1, 2, 3]"}, `{"result":[1,2,3],"truncated":false}`},
		{"json_truncate", []string{"[1,2,3]", "7"}, `{"result":[1,2,3],"truncated":false}`},
		{"json_truncate", []string{"[1,2,3]", "6"}, `{"result":[1,2],"truncated":true,"kept":2,"total":3}`},
		{"json_truncate", []string{"[1,2,3]", "5"}, `{"result":[1,2],"truncated":true,"kept":2,"total":3}`},
		{"json_truncate", []string{"[1,2,3]", "4"}, `{"result":[1],"truncated":true,"kept":1,"total":3}`},
		{"json_truncate", []string{"[1,2,3]", "2"},
			`{"result":null,"truncated":false,"error":{"type":"output_too_large","message":"not even the first of 3 ` +
				`items fits into 2 bytes"}}`},
		{"json_truncate", []string{`{"meta":"kept","results":[10,20,30]}`, "33"},
			`{"result":{"meta":"kept","results":[10,20]},"truncated":true,"kept":2,"total":3}`},
		{"json_truncate", []string{`{"a":{"b":[1,2,3]},"z":0}`, "23", "--array-path", ".a.b"},
			`{"result":{"a":{"b":[1,2]},"z":0},"truncated":true,"kept":2,"total":3}`},
		{"json_truncate", []string{`{"a":1}`, "3", "--array-path", ".a.b"},
			`{"result":null,"truncated":false,"error":{"type":"path_not_found","message":".a.b does not exist"}}`},
		{"json_truncate", []string{`{"a":1}`, "3", "--array-path", ".a"},
			`{"result":null,"truncated":false,"error":{"type":"invalid_array_path","message":".a is not an array"}}`},
		{"json_truncate", []string{`{"a":1}`, "3", "--array-path", "a[0]"},
			`{"result":null,"truncated":false,"error":{"type":"invalid_path_syntax","message":"\"a[0]\" is not a ` +
				`path; write it as .a.b, or . for the whole value"}}`},
		{"json_truncate", []string{`{"a":1}`, "3"},
			`{"result":null,"truncated":false,"error":{"type":"output_too_large","message":"7 bytes are more than 3, ` +
				`and no array was found to shorten; name one with --array-path"}}`},
		{"json_truncate", []string{`{`, "3"},
			`{"result":null,"truncated":false,"error":{"type":"invalid_json","message":"the input is not one JSON value"}}`},
		{"json_truncate", []string{`1`, "x"}, `code 1: "x" is not a number of bytes`},
	})
}

func TestOutputOfCommandLinePrograms(t *testing.T) {
	runOps(t, channelOf(Call{}), []opTest{
		{"extract_cli_error", []string{`{"error":{"message":"a"}}`, "e", "2"}, "a"},
		{"extract_cli_error", []string{`{"error":"b"}`, "e", "2"}, "b"},
		{"extract_cli_error", []string{`{"success":false,"message":"c"}`, "e", "2"}, "c"},
		{"extract_cli_error", []string{`{"status":"error","message":"d"}`, "e", "2"}, "d"},
		{"extract_cli_error", []string{`{"message":"no error"}`, " e \n", "2"}, "e"},
		{"extract_cli_error", []string{`{"errors":[{"message":"f"}]}`, "", "2"}, "f"},
		{"extract_cli_error", []string{`text`, "", "2"}, "CLI exited with code 2"},
		{"extract_cli_error", nil, "CLI exited with code 1"},
	})
}

func TestProgressKeepsItsNumbers(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"45", "half"}, `progress 45 "half"`},
		{[]string{"45.50", "half", "90.0"}, `progress 45.50/90.0 "half"`},
		{[]string{"1e1"}, `progress 1e1 ""`},
		{[]string{"45%"}, `progress 45/100 ""`},
		{[]string{"150%", "m"}, `progress 100/100 "m"`},
		{[]string{"10", "ten"}, `progress 10 "ten"`},
		{[]string{"007"}, `progress 7 ""`},
		{[]string{".5"}, `progress 0.5 ""`},
		{[]string{"-3"}, `progress 0 ""`},
		{[]string{"150"}, `progress 100 ""`},
		{[]string{"150", "m", "300"}, `progress 150/300 "m"`},
		{[]string{"5", "m", "null"}, `progress 5 "m"`},
		{[]string{"5", "m", ""}, `progress 5 "m"`},
		{[]string{"123456789012345678901", "m", "1e30"}, `progress 123456789012345678901/1e30 "m"`},
		{[]string{"NaN"}, `code 0: "NaN" is not a number, so no progress is reported`},
		{[]string{"0x1p4"}, `code 0: "0x1p4" is not a number, so no progress is reported`},
		{nil, `code 0: "" is not a number, so no progress is reported`},
	} {
		t.Run(fmt.Sprint(test.args), func(t *testing.T) {
			is := is.New(t)
			x := connected(nil)
			c := channelOf(x.call)
			got := c.printed("progress", test.args...)
			if got == "code 0" {
				got = x.heard.String()
			}
			is.Equal(got, test.want)
		})
	}
}

func TestLogsKeepTheirLevel(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	c := channelOf(x.call)
	is.Equal(c.printed("log", "WARN", "db", `{ "a": 1.0 }`), "code 0")
	is.Equal(c.printed("log", "emergency", "", `no json`), "code 0")
	is.Equal(c.printed("log", "loud", "db", `1`),
		`code 0: "loud" is not a log level, so it is logged as info; the levels are debug, info, notice, warning, `+
			`error, critical, alert, emergency`)
	is.Equal(c.printed("log_text debug", "db", "true"), "code 0")
	c.printed("error", "t", "m", "--hint", "h")
	c.printed("error", "t", "m")
	is.Equal(x.heard.String(), strings.Join([]string{
		`warning "db" {"a":1.0}`,
		`emergency "" "no json"`,
		`info "db" 1`,
		`debug "db" "true"`,
		`warning "mcp.tool" {"type":"t","message":"m","hint":"h"}`,
		`debug "mcp.tool" {"type":"t","message":"m"}`,
	}, "\n"))
	is.Equal(channelOf(Call{}).printed("log", "info", "", "1"), "code 0") // a client that does not want it
	is.Equal(channelOf(Call{}).printed("progress", "1"), "code 0")        // or no progress
}

func TestAPauseTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		c := channelOf(Call{})
		began := time.Now()
		is.Equal(c.printed("pause", "1.5"), "code 0")
		is.Equal(time.Since(began), 1500*time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		is.Equal(c.do(ctx, "pause", []string{"100"}).code, 1) // ends with the call
		is.Equal(c.printed("pause", "-1"), `code 1: "-1" is not a number of seconds`)
		is.Equal(c.printed("pause", "NaN"), `code 1: "NaN" is not a number of seconds`)
	})
}

func TestPathsAreCheckedAgainstTheRoots(t *testing.T) {
	is := is.New(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	is.NoErr(err)
	root, other := filepath.Join(dir, "root"), filepath.Join(dir, "rootless")
	for _, d := range []string{root, other, filepath.Join(root, "sub")} {
		is.NoErr(os.Mkdir(d, 0o700))
	}
	is.NoErr(os.Symlink(other, filepath.Join(root, "out")))
	is.NoErr(os.Symlink(filepath.Join(other, "new"), filepath.Join(root, "dangling")))
	is.NoErr(os.Symlink("loop", filepath.Join(root, "loop")))
	is.NoErr(os.Symlink(root, filepath.Join(dir, "alias")))
	with := func(args string, roots ...string) *Channel {
		return channelOf(Call{Args: []byte(args), Roots: func(context.Context) ([]string, error) { return roots, nil }})
	}
	at := func(path string) string {
		b, err := json.Marshal(map[string]string{"p": path})
		is.NoErr(err)
		return string(b)
	}
	outside := refused(".p is outside configured MCP roots")

	is.Equal(with("{}", root, other).printed("roots_list"), root+"\n"+other)
	is.Equal(with("{}", root, other).printed("roots_count"), "2")
	is.Equal(with("{}").printed("roots_list"), "code 0")
	is.Equal(with("{}").printed("roots_count"), "0")
	is.Equal(channelOf(Call{}).printed("roots_count"), "0")
	for path, want := range map[string]string{
		root: "code 0", root + "/sub/../new/file": "code 0", "sub": "code 0", dir + "/alias/sub": "code 0",
		other: "code 1", root + "/../rootless": "code 1", root + "/out/x": "code 1", root + "/dangling": "code 1",
		"": "code 1", "/": "code 1",
	} {
		is.Equal(with("{}", root).printed("roots_contains "+root, path), want) // including by links
	}
	for path, want := range map[string]string{
		root + "/sub/":      root + "/sub",
		"sub/x":             root + "/sub/x",
		"../rootless":       outside,
		root + "/out":       outside,
		root + "/dangling":  outside,
		root + "/loop":      root + "/loop",
		dir + "/alias/sub":  root + "/sub",
		dir + "/alias/new":  root + "/new",
		root + "/a\nb":      root + "/a\nb",
		root + "/..x":       root + "/..x",
		dir + "/rootless/y": outside,
	} {
		is.Equal(with(at(path), root).printed("require_path "+dir, ".p"), want)
	}
	is.Equal(with(at("root/sub"), root, other).printed("require_path "+dir, ".p"),
		root+"/sub") // several roots: relative to the folder
	is.Equal(with(at("/etc/passwd")).printed("require_path "+dir, ".p"), "/etc/passwd") // no roots: no check
	is.Equal(with(`{"p":"a\u0000"}`, root).printed("require_path "+dir, ".p"), refused(".p must not contain U+0000"))
	is.Equal(with(`{"p":7}`, root).printed("require_path "+dir, ".p"), refused(".p must be a string"))
	is.Equal(with(`{}`, root).printed("require_path "+dir, ".p"), refused(".p is required"))
	is.Equal(with(`{}`, root).printed("require_path "+dir, ".p", "--allow-empty"), "")
	is.Equal(with(`{}`, root).printed("require_path "+dir, ".p", "--default-to-single-root"), root)
	is.Equal(with(`{}`, root, other).printed("require_path "+dir, ".p", "--default-to-single-root"),
		refused(".p is required when zero or multiple roots are configured"))
	is.Equal(with(`{}`, root, other).printed("require_path "+dir, ".p", "--default-to-single-root", "--allow-empty"), "")

	is.Equal(with("{}").printed("path_normalize "+root, "a/../sub/./x"), root+"/sub/x")
	is.Equal(with("{}").printed("path_normalize "+root, "--physical", "out/x"), other+"/x")
	is.Equal(with("{}").printed("path_normalize "+root), "code 1: requires a path")
	is.Equal(with("{}").printed("path_collapse", "a//b/./c/../d/"), "a/b/d")

	broken := channelOf(Call{Args: []byte(at(root)),
		Roots: func(context.Context) ([]string, error) { return nil, errors.New("timeout") }})
	is.Equal(broken.printed("require_path "+dir, ".p"), "code 1: cannot get the roots: timeout") // a failed check refuses
	is.Equal(broken.printed("roots_contains "+dir, root), "code 1: cannot get the roots: timeout")
}

func TestConfiguration(t *testing.T) {
	c := channelOf(Call{})
	runOps(t, c, []opTest{
		{"config_merge", []string{"--defaults", `{"a":1,"b":{"x":1}}`, "file", `{"b":{"y":2},"c":3.0}`},
			`{"a":1,"b":{"y":2},"c":3.0}`},
		{"config_merge", []string{"conf.json", `[1]`}, "code 1: conf.json is not a JSON object"},
		{"config_merge", []string{"$VAR", `{`}, "code 1: $VAR is not a JSON object"},
		{`config_get {"a":false,"b":"","c":null}`, []string{".a"}, "false"},
		{`config_get {"a":false,"b":"","c":null}`, []string{".b", "--default", "x"}, ""},
		{`config_get {"a":false,"b":"","c":null}`, []string{".c"}, "code 1"},
		{`config_get {"a":false,"b":"","c":null}`, []string{".c", "--default", "x"}, "x"},
		{`config_get `, []string{".c", "--default", "x"}, "x"},
	})
}

func TestTextOfHelpersThatIsNotUTF8IsReportedOnce(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	c := channelOf(x.call)
	is.Equal(c.printed("json_escape", "Stra\xdfe"), `"Stra`+"\ufffd"+`e"`)
	c.printed("json_obj", "a", "\xdf")
	is.Equal(x.heard.String(),
		`warning "mcp.tools" "mcp_json_escape received bytes that are not valid UTF-8 and replaced them with U+FFFD"`)
}
