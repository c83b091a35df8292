package sdk

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// python runs a script in Python.
func (x *tool) python(t *testing.T, text string) ended {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so the Python SDK cannot run")
	}
	file := filepath.Join(t.TempDir(), "tool.py")
	begin := "import os, sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, os.environ[\"MCP_SDK\"])\nimport mcp_sdk as mcp\n"
	if err := os.WriteFile(file, []byte(begin+text), 0o600); err != nil {
		t.Fatal(err)
	}
	x.path += ":" + os.Getenv("PATH") // python3 may be a script itself
	return x.run(t, "exec '"+python+"' '"+file+"'")
}

func TestProgressAndLogsNeverEndAPythonTool(t *testing.T) {
	is := is.New(t)
	x := connected(nil)
	e := x.python(t, `
mcp.progress("soon")
mcp.log("loud", "text")
print("done")
`)
	is.Equal(e.stdout, "done\n")
	is.Equal(e.stderr, `mcp_sdk: "soon" is not a number, so no progress is reported
mcp_sdk: "loud" is not a log level, so it is logged as info; the levels are debug, info, notice, warning, error, critical, alert, emergency
`)
	is.Equal(x.heard.String(), "info \"\" \"text\"")
}

func TestPythonToolsUseTheSameChannel(t *testing.T) {
	is := is.New(t)
	x := connected(func(string, json.RawMessage) (string, error) { return `{"action":"accept","content":{}}`, nil })
	x.call.Args = []byte(`{"name":"Ada","long":"` + strings.Repeat("ü", 5000) + `"}`)
	e := x.python(t, `
print(mcp.args()["name"], len(mcp.args()["long"]), mcp.meta())
mcp.progress(0.5, 'a "b"\n', 2)
mcp.log("warning", {"x": [1, None]}, "py")
print(mcp.jq('.[] | {a: ., b: $v} # each', [1, "\u2028"], v='"'))
print(mcp.jq('empty', 1))
print(mcp.elicit("Sure?", {"type": "object", "properties": {}}))
print(mcp.roots(), mcp.cancelled())
print(mcp.download("http://x", "y", allow=["a", "b"], retry=1)["error"]["type"])
try:
    mcp.jq(".[", 1)
except mcp.ServerError as e:
    print(e.code, e)
mcp.result({"ok": "é"})
mcp.result("plain")
mcp.error("not_found", "no", hint="look")
mcp.fail(-32000, "the end", [1])
`)
	is.Equal(e.stdout, `Ada 5000 {}
[{'a': 1, 'b': '"'}, {'a': '\u2028', 'b': '"'}]
[]
{'action': 'accept', 'content': {}}
[] False
invalid_url
3 "(.[\n)|tojson" is not a jq filter: unexpected token ")"
{"content":[{"type":"text","text":"{\"success\": true, \"result\": {\"ok\": \"\u00e9\"}}"}],"structuredContent":{"success":true,"result":{"ok":"\u00e9"}},"isError":false}
{"content":[{"type":"text","text":"plain"}],"isError":false}
{"content":[{"type":"text","text":"no\n\nHint: look"}],"structuredContent":{"success":false,"error":{"type":"not_found","message":"no","hint":"look"}},"isError":true}
{"code": -32000, "message": "the end", "data": [1]}
`)
	is.Equal(e.stderr, "the end\n")
	is.Equal(e.code, 1)
	is.Equal(e.fault, `{"code": -32000, "message": "the end", "data": [1]}`)
	is.Equal(x.heard.String(), `progress 0.5/2 "a \"b\"\n"
warning "py" {"x":[1,null]}
elicitation/create {"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`)
}

func TestPythonToolsCannotSendWhatIsNotJSON(t *testing.T) {
	inOneShell(t)
	is := is.New(t)
	x := connected(nil)
	e := x.python(t, `
for use in [
    lambda v: mcp.result(v), lambda v: mcp.result({"a": [v]}, text="own"), lambda v: mcp.error("gone", "x", data=v),
    lambda v: mcp.fail(-32000, "x", v), lambda v: mcp.jq(".", v),
]:
    for value in float("nan"), float("inf"):
        try:
            use(value)
            print("accepted")
        except ValueError as e:
            if "not JSON compliant" not in str(e):
                print(e)
mcp.log("info", float("nan"))
`)
	is.Equal(e.String(), `stdout "", stderr "", code 0`)
	is.Equal(e.fault, "")
	is.Equal(x.heard.String(), `info "" "NaN"`) // a log message never ends a tool
}

func TestPythonToolsAskTheClient(t *testing.T) {
	inOneShell(t)
	is := is.New(t)
	x := connected(func(string, json.RawMessage) (string, error) {
		return `{"role":"assistant","content":{"type":"text","text":"hi"}}`, nil
	})
	x.call.Supports, x.call.MissingCapability = having("sampling", "sampling.tools"), true
	e := x.python(t, `
print(mcp.ask({"a": ("roots/list", {}), "b": ("roots/list", {})}, timeout=5)["b"]["role"])
print(mcp.supports("sampling"), mcp.supports("roots"))
print(mcp.sample("x", tools=[], tool_choice="none", stop=["END"]))
print(mcp.sample(messages=[{"role": "user", "content": {"type": "text", "text": "x"}}], whole=True)["content"])
mcp.require("sampling")
mcp.require("roots")
print("never reached")
`)
	is.Equal(e.stdout, `assistant
True False
hi
{'type': 'text', 'text': 'hi'}
{"code": -32021, "message": "this needs a client with roots", "data": {"requiredCapabilities": {"roots": {}}}}
`)
	is.Equal(e.code, 1)

	x = connected(nil)
	e = x.python(t, `
mcp.require("roots")
print("never reached")
`)
	is.True(strings.HasSuffix(e.stdout, `"isError":true}`+"\n"))
	is.Equal(e.code, 0)
}

func TestThreadsAndProcessesOfPythonShareTheChannel(t *testing.T) {
	inOneShell(t)
	is := is.New(t)
	var x tool
	e := x.python(t, `
import threading
def job(n):
    for i in range(30):
        value = [n, i, "x" * (1000 * (i % 2))]
        assert mcp.jq(".", value) == [value]

jobs = [threading.Thread(target=job, args=(n,)) for n in range(4)]
for j in jobs: j.start()
for j in jobs: j.join()
for n in range(3):
    if os.fork() == 0:
        job(f"child {n}")
        os._exit(0)
for n in range(3):
    assert os.wait()[1] == 0
print("done")
`)
	is.Equal(e.String(), `stdout "done\n", stderr "", code 0`)
}

func TestPythonFailsAtOnceWithoutTheServer(t *testing.T) {
	inOneShell(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed, so the Python SDK cannot run")
	}
	is := is.New(t)
	file := filepath.Join(t.TempDir(), "tool.py")
	is.NoErr(os.WriteFile(file, []byte(`
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["MCP_SDK"])
import mcp_sdk as mcp
open("ready", "w")
while not os.path.exists("closed"): pass
for _ in range(2):
    try:
        mcp.progress(1)
    except mcp.ServerError as e:
        print(e)
`), 0o600))
	python, err := exec.LookPath("python3")
	is.NoErr(err)
	x := connected(nil)
	x.path = os.Getenv("PATH")
	e := x.startAndClose(t, "exec '"+python+"' '"+file+"'")()
	is.Equal(e.stdout, strings.Repeat("mcp-bash is gone, so nobody can answer\n", 2))
}

func TestPythonToolsRequireArgumentsAsShellToolsDo(t *testing.T) {
	inOneShell(t)
	for name, want := range map[string]string{
		`"name"`:             `stdout "Ada\n", stderr "", code 0`,
		`".user.city"`:       `stdout "London\n", stderr "", code 0`,
		`"zero"`:             `stdout "0\n", stderr "", code 0`,
		`"nothing"`:          `stdout "{\"code\": -32602, \"message\": \".nothing is required\"}\n", stderr ".nothing is required\n", code 1`,
		`"nil"`:              `stdout "{\"code\": -32602, \"message\": \".nil is required\"}\n", stderr ".nil is required\n", code 1`,
		`".empty", "Say so"`: `stdout "{\"code\": -32602, \"message\": \"Say so\"}\n", stderr "Say so\n", code 1`,
		`"name.first"`:       `stdout "{\"code\": -32602, \"message\": \".name.first is required\"}\n", stderr ".name.first is required\n", code 1`,
	} {
		is := is.New(t)
		x := tool{call: Call{Args: []byte(`{"name":"Ada","user":{"city":"London"},"zero":0,"nil":null,"empty":""}`)}}
		e := x.python(t, "print(mcp.require_arg("+name+"))\n")
		is.Equal(e.String(), want)
	}
}

func TestPythonWorksWithoutAServer(t *testing.T) {
	inOneShell(t)
	is := is.New(t)
	x := handy(t)
	x.env = []string{"MCP_TOOL_ARGS_JSON=" + ada, "MCP_ROOTS_PATHS=/a\n/b"}
	e := x.python(t, `
print(mcp.args(), mcp.meta(), mcp.roots())
mcp.progress(1, "x", 2)
mcp.log("info", {"a": 1}, "me")
mcp.result("plain")
print(mcp.jq(".a", {"a": "x"}), mcp.elicit("Sure?", {"type": "object", "properties": {}})["reason"])
os.environ["PATH"] = "/nonexistent"
try:
    mcp.args()
except mcp.ServerError as e:
    print(e)
mcp.error("gone", "x")
`)
	is.Equal(e.stdout, "{'name': 'Ada'} {} ['/a', '/b']\n{\"content\":[{\"type\":\"text\",\"text\":\"plain\"}],\"isError\":false}\n['x'] the tool runs by hand\nwithout a server this needs mcp-bash, which is not on PATH; install it, or add its folder to PATH\n"+
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"success":false,"error":{"type":"gone","message":"x"}},"isError":true}`+"\n")
	is.Equal(e.stderr, "progress 1/2 x\ninfo me: {\"a\":1}\n")
}
