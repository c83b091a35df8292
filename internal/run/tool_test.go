package run

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// newRuntime returns a runtime with a project folder of its own.
func newRuntime(t testing.TB) *Runtime {
	r := &Runtime{
		Runner:  &script.Runner{},
		Root:    t.TempDir(),
		State:   t.TempDir(),
		Env:     Isolation{Mode: Minimal}.Environment(os.Environ()),
		Others:  Isolation{Mode: Minimal}.Environment(os.Environ()),
		Schemas: &Schemas{},
		SDK:     &sdk.Server{},
		Home:    func() (string, error) { return "/home", nil },
		Log:     slog.New(slog.DiscardHandler),
	}
	if os.Getenv(inShellsAhead) != "" {
		r.Prestart, r.shells.eager = 1, true
		installSDK(t, r)
	}
	t.Cleanup(func() { r.Close() })
	t.Cleanup(func() { r.Runner.Close(0) })
	return r
}

// callFolders are those that are there.
func callFolders(t testing.TB, r *Runtime) []os.DirEntry {
	t.Helper()
	dir := filepath.Join(r.State, callsName)
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// inShellsAhead lets all tests run their scripts in shells that were started ahead, where
// they are for bash.
const inShellsAhead = "MCPBASH_TEST_AHEAD"

// installSDK puts the SDK where scripts of the runtime find it.
func installSDK(t testing.TB, r *Runtime) {
	home := t.TempDir()
	if _, err := sdk.Install(filepath.Join(home, "sdk")); err != nil {
		t.Fatal(err)
	}
	r.Home = func() (string, error) { return home, nil }
}

// newTool writes a script and returns the tool that it is.
func newTool(t testing.TB, r *Runtime, text string) *project.Tool {
	if os.Getenv(inShellsAhead) != "" {
		text = strings.Replace(text, "#!/bin/sh\n", "#!/bin/bash\n", 1)
	}
	path := filepath.Join(r.Root, "tool.sh")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return &project.Tool{Name: "probe", Path: path, InputSchema: jsontext.Value(`{"type":"object"}`)}
}

// heard keeps what a call tells while it works.
type heard struct {
	progress []mcp.ProgressParams
	logs     []mcp.LogParams
}

func (h *heard) call(tool *project.Tool) Call {
	return Call{
		Tool:     tool,
		Revision: mcp.Latest(),
		Call: sdk.Call{
			Progress: func(_ context.Context, p mcp.ProgressParams) error { h.progress = append(h.progress, p); return nil },
			Log:      func(_ context.Context, p mcp.LogParams) error { h.logs = append(h.logs, p); return nil },
		},
	}
}

// run calls a script and returns its result as JSON.
func run(t *testing.T, script string, change ...func(*Call)) string {
	t.Helper()
	r := newRuntime(t)
	c := new(heard).call(newTool(t, r, script))
	for _, f := range change {
		f(&c)
	}
	result, err := r.Call(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return string(encode(result))
}

func TestTextOnStdoutIsTheResult(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho hello")
	is.Equal(got, `{"content":[{"type":"text","text":"hello\n"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestAJSONObjectOnStdoutIsAlsoStructuredContent(t *testing.T) {
	is := is.New(t)
	got := run(t, `#!/bin/sh
echo '{"n": 12345678901234567890, "b":1.0}'`)
	is.Equal(got, `{"content":[{"type":"text","text":"{\"n\": 12345678901234567890, \"b\":1.0}\n"}],`+
		`"structuredContent":{"n":12345678901234567890,"b":1.0},"isError":false,"_meta":{"exitCode":0}}`) // numbers as they were
}

func TestOtherJSONIsText(t *testing.T) {
	is := is.New(t)
	is.Equal(run(t, "#!/bin/sh\necho '[1,2]'"), `{"content":[{"type":"text","text":"[1,2]\n"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestOlderRevisionsGetNoStructuredContent(t *testing.T) {
	is := is.New(t)
	old := func(c *Call) { c.Revision = mcp.Negotiate("2025-03-26") }
	is.Equal(run(t, `#!/bin/sh
echo '{"a":1}'`, old), `{"content":[{"type":"text","text":"{\"a\":1}\n"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestAFailureTellsTheLastLineOfStderrAndKeepsTheOutput(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho partial\necho chatter >&2\necho no such host >&2\nexit 3")
	is.Equal(got, `{"content":[{"type":"text","text":"Tool failed: no such host"},{"type":"text","text":"partial\n"}],`+
		`"isError":true,"_meta":{"exitCode":3,"stderr":"chatter\nno such host\n"}}`)
}

func TestAFailureWithoutStderrTellsTheExitCode(t *testing.T) {
	is := is.New(t)
	is.Equal(run(t, "#!/bin/sh\nexit 7"), `{"content":[{"type":"text","text":"Tool failed: exit code 7"}],"isError":true,"_meta":{"exitCode":7}}`)
}

func TestStderrIsToldOnSuccessToo(t *testing.T) {
	is := is.New(t)
	is.Equal(run(t, "#!/bin/sh\necho careful >&2"), `{"content":[{"type":"text","text":""}],"isError":false,"_meta":{"exitCode":0,"stderr":"careful\n"}}`)
}

func TestAWellFormedResultOnStdoutIsPassedOn(t *testing.T) {
	is := is.New(t)
	got := run(t, `#!/bin/sh
echo '{"content":[{"type":"text","text":"no"},{"type":"image","data":"AA==","mimeType":"image/png"}],"isError":true,"_meta":{"mine":1}}'
exit 1`)
	is.Equal(got, `{"content":[{"type":"text","text":"no"},{"type":"image","data":"AA==","mimeType":"image/png"}],"isError":true,"_meta":{"exitCode":1,"mine":1}}`)
}

func TestBlocksThatARevisionDoesNotKnowBecomeText(t *testing.T) {
	is := is.New(t)
	old := func(c *Call) { c.Revision = mcp.Negotiate("2024-11-05") }
	got := run(t, `#!/bin/sh
echo '{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}],"isError":false}'`, old)
	is.Equal(got, `{"content":[{"type":"text","text":"a: file:///a"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestABlockThatClientsCannotReadIsAFailureThatSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ output, why string }{
		{`{"content":[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"file:///a"}}]}`, "/content/1/resource must have a text or a blob"},
		{`{"content":[{"type":"image","data":"AA","mimeType":"image/png"}]}`, "/content/0/data is not base64 of the standard alphabet, with padding"}, // T-25
		{`{"content":[{"type":"text","text":"a","annotations":{"priority":7}}]}`, "/content/0/annotations/priority must be from 0 to 1"},
		{`{"content":[{"type":"text","text":"a"}],"_meta":5}`, "/_meta must be an object"},
		{`{"content":[{"type":"text","text":"a"}],"isError":"no"}`, "/isError must be a boolean"},
		{`{"content":["a"],"isError":false}`, "/content/0 must be an object"},
		{`{"content":[{"type":"video"}],"structuredContent":{}}`, "/content/0/type must be text, image, audio, resource or resource_link"},
	} {
		t.Run(c.why, func(t *testing.T) {
			is := is.New(t)
			want, err := json.Marshal(c.output + "\n")
			is.NoErr(err)
			is.Equal(run(t, "#!/bin/sh\ncat <<'E'\n"+c.output+"\nE"),
				`{"content":[{"type":"text","text":"The tool wrote a result that clients cannot read: `+c.why+`"},{"type":"text","text":`+string(want)+`}],"isError":true,"_meta":{"exitCode":0}}`)
		})
	}
}

func TestJSONThatOnlyLooksLikeAResultIsOutput(t *testing.T) {
	for _, output := range []string{
		`{"content":[{"type":"paragraph","content":[]}]}`,
		`{"content":[{"type":"text","text":"a"},{"type":"hardBreak"}]}`,
		`{"content":["a"]}`,
		`{"content":[]}`,
		`{"content":"a","isError":true}`,
	} {
		t.Run(output, func(t *testing.T) {
			is := is.New(t)
			is.True(strings.Contains(run(t, "#!/bin/sh\ncat <<'E'\n"+output+"\nE"), `"structuredContent":`+output+`,"isError":false,`))
		})
	}
}

func TestInvalidUTF8BecomesReplacementCharacters(t *testing.T) {
	is := is.New(t)
	is.Equal(run(t, `#!/bin/sh
printf 'a\377b\000c'`), `{"content":[{"type":"text","text":"a`+"\ufffd"+`b\u0000c"}],"isError":false,"_meta":{"exitCode":0}}`)
}

func TestOutputOverTheLimitIsCutAndTold(t *testing.T) {
	is := is.New(t)
	small := func(c *Call) { c.Tool.MaxOutputBytes = 4 }
	got := run(t, "#!/bin/sh\nprintf 'abcédef'", small)
	is.Equal(got, `{"content":[{"type":"text","text":"Tool output is too large: 8 bytes, of which the first 3 follow"},{"type":"text","text":"abc"}],`+
		`"isError":true,"_meta":{"exitCode":0,"keptBytes":3,"outputBytes":8}}`) // cut before é
}

func TestEightMebibytesWithoutANewlineArrive(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\nhead -c 8388608 /dev/zero | tr '\\000' x")
	is.True(strings.Contains(got, strings.Repeat("x", 8<<20))) // all of it
}

func TestWithAnOutputSchemaTheOutputMustSatisfyIt(t *testing.T) {
	schema := func(c *Call) {
		c.Tool.OutputSchema = jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	}
	for _, c := range []struct{ script, want string }{
		{`echo '{"n":1}'`, `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1},"isError":false,"_meta":{"exitCode":0}}`},
		{`echo '{"content":[{"type":"text","text":"one"}],"structuredContent":{"n":1}}'`, `{"content":[{"type":"text","text":"one"}],"structuredContent":{"n":1},"isError":false,"_meta":{"exitCode":0}}`},
		{`echo '{"content":[{"type":"text","text":"sorry"}],"isError":true}'`, `{"content":[{"type":"text","text":"sorry"}],"isError":true,"_meta":{"exitCode":0}}`},
		{`true`, `there is no output`},
		{`echo text`, `the output is not JSON`},
		{`echo '{"n":"one"}'`, `at /n:`},
		{`echo '{"content":[],"structuredContent":{}}'`, `does not satisfy its outputSchema`},
	} {
		is := is.New(t)
		got := run(t, "#!/bin/sh\n"+c.script, schema)
		if strings.HasPrefix(c.want, "{") {
			is.Equal(got, c.want)
		} else {
			is.True(strings.Contains(got, c.want))           // says where it fails
			is.True(strings.Contains(got, `"isError":true`)) // as an error
		}
	}
}

func TestWrongArgumentsAreToldAndNothingStarts(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	tool := newTool(t, r, "#!/bin/sh\ntouch started")
	tool.InputSchema = jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["name"]}`)
	c := new(heard).call(tool)
	c.Args = json.RawMessage(`{"n":"x"}`)
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	got := string(encode(result))
	is.True(strings.HasPrefix(got, `{"content":[{"type":"text","text":"Invalid arguments for tool probe:\n- `)) // told
	is.True(strings.Contains(got, `name`) && strings.Contains(got, `/n`))                                       // every fault
	_, err = os.Stat(filepath.Join(r.Root, "started"))
	is.True(errors.Is(err, os.ErrNotExist)) // the script did not run
}

func TestArgumentsArriveByteForByte(t *testing.T) {
	const script = "#!/bin/sh\nif [ -n \"$MCP_TOOL_ARGS_JSON\" ]; then printf %s \"$MCP_TOOL_ARGS_JSON\"; else cat \"$MCP_TOOL_ARGS_FILE\"; fi"
	for _, args := range []string{
		`{"a":"$(touch x) ` + "`id`" + ` \" ' \\ \n","z":1.0, "b":12345678901234567890}`,
		`{"big":"` + strings.Repeat("é", 100_000) + `"}`,
	} {
		is := is.New(t)
		r := newRuntime(t)
		c := new(heard).call(newTool(t, r, script))
		c.Args = json.RawMessage(args)
		result, err := r.Call(t.Context(), c)
		is.NoErr(err)
		is.Equal(string(result.StructuredContent), args) // unchanged
	}
}

func TestTheErrorFileIsAJSONRPCError(t *testing.T) {
	for _, c := range []struct{ written, want string }{
		{`{"code":-32099,"message":"boom","data":{"a":1}}`, `{"code":-32099,"message":"boom","data":{"a":1}}`},
		{`{"message":"no code"}`, `{"code":-32603,"message":"Tool failed","data":"{\"message\":\"no code\"}"}`},
		{`gone wrong`, `{"code":-32603,"message":"Tool failed","data":"gone wrong"}`},
	} {
		is := is.New(t)
		r := newRuntime(t)
		call := new(heard).call(newTool(t, r, "#!/bin/sh\ncat >\"$MCP_TOOL_ERROR_FILE\" <<'E'\n"+c.written+"\nE\nexit 1"))
		_, err := r.Call(t.Context(), call)
		var e *jsonrpc2.Error
		is.True(errors.As(err, &e)) // an error of the protocol
		got, _ := json.Marshal(e)
		is.Equal(string(got), c.want)
	}
}

func TestATimeoutTellsWhyAndKeepsTheOutput(t *testing.T) {
	is := is.New(t)
	got := run(t, "#!/bin/sh\necho so far\nexec sleep 60", func(c *Call) {
		limit := 200 * time.Millisecond
		c.Timeout = &limit
		c.Tool.TimeoutHint = "ask for less"
	})
	is.True(strings.Contains(got, `{"type":"text","text":"Tool timed out after 0.2s\n\nSuggestion: ask for less"},{"type":"text","text":"Output until then:\nso far\n"}`))
	is.True(strings.Contains(got, `"structuredContent":{"error":{"hint":"ask for less","message":"Tool timed out after 0.2s","reason":"fixed","timeoutSecs":0.2,"type":"timeout"},"success":false}`))
	is.True(strings.Contains(got, `"isError":true,"_meta":{"exitCode":124}`)) // as timeout(1) has it
}

func TestProgressExtendsTheTimeoutUpToTheMaximum(t *testing.T) {
	is := is.New(t)
	yes, idle, most := true, 400*time.Millisecond, 1500*time.Millisecond
	extends := func(c *Call) {
		c.Timeout, c.Tool.ProgressExtendsTimeout, c.Tool.MaxTimeout = &idle, &yes, &most
	}
	got := run(t, `#!/bin/sh
i=0
while :; do
  i=$((i+1))
  echo '{"method":"notifications/progress","params":{"progress":'$i'}}' >>"$MCP_PROGRESS_STREAM"
  sleep 0.1
done`, extends)
	is.True(strings.Contains(got, `Tool exceeded maximum runtime of 1.5s`)) // long past the first limit
	got = run(t, "#!/bin/sh\nexec sleep 60", extends)
	is.True(strings.Contains(got, `Tool timed out after 0.4s (no progress reported)`))
}

func TestProgressAndLogsAreHeard(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	var h heard
	c := h.call(newTool(t, r, `#!/bin/sh
say() { echo "$1" >>"$MCP_PROGRESS_STREAM"; }
say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.5,"total":null,"message":"half"}}'
say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.5}}'
say 'no json'
say '{"jsonrpc":"2.0","method":"tools/list"}'
say '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.0,"total":1}}'
echo '{"method":"notifications/message","params":{"level":"notice","logger":"me","data":{"a":1}}}' >>"$MCP_LOG_STREAM"
echo '{"method":"notifications/message","params":{"level":"loud","data":1}}' >>"$MCP_LOG_STREAM"
`))
	_, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.Equal(string(encode(h.progress)), `[{"progressToken":null,"progress":0.5,"message":"half"},{"progressToken":null,"progress":1.0,"total":1}]`) // rising only; the token is for the handler
	is.Equal(string(encode(h.logs)), `[{"level":"notice","logger":"me","data":{"a":1}}]`)
}

func TestTheTraceOfACallReachesTheToolAndWhatItTells(t *testing.T) {
	is := is.New(t)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	r := newRuntime(t)
	var h heard
	c := h.call(newTool(t, r, `#!/bin/sh
echo '{"method":"notifications/progress","params":{"progress":1}}' >>"$MCP_PROGRESS_STREAM"
echo '{"method":"notifications/message","params":{"level":"info","data":"x"}}' >>"$MCP_LOG_STREAM"
echo "$TRACEPARENT $TRACESTATE $BAGGAGE"
`))
	c.Meta = json.RawMessage(`{"traceparent":"` + parent + `","tracestate":"a=1","baggage":"k=v"}`)
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.True(strings.Contains(string(encode(result)), parent+" a=1 k=v")) // TR-04
	meta := `"_meta":{"traceparent":"` + parent + `","tracestate":"a=1","baggage":"k=v"}`
	is.True(strings.Contains(string(encode(h.progress)), meta))
	is.True(strings.Contains(string(encode(h.logs)), meta))
}

func TestWhatIsWrittenJustBeforeTheEndIsHeard(t *testing.T) {
	r := newRuntime(t)
	tool := newTool(t, r, "#!/bin/sh\necho '{\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}' >>\"$MCP_PROGRESS_STREAM\"")
	for range 50 {
		is := is.New(t)
		var h heard
		c := h.call(tool)
		_, err := r.Call(t.Context(), c)
		is.NoErr(err)
		is.Equal(len(h.progress), 1) // not lost
	}
}

func TestAScriptThatCannotStartIsAResultThatSaysWhatToDo(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	tool := newTool(t, r, "neither a program nor a script\n")
	is.NoErr(os.Rename(tool.Path, filepath.Join(filepath.Dir(tool.Path), "tool")))
	tool.Path = filepath.Join(filepath.Dir(tool.Path), "tool")
	result, err := r.Call(t.Context(), new(heard).call(tool))
	is.NoErr(err)
	is.True(result.IsError)
	is.True(strings.Contains(string(result.Content[0].JSON()), "#!")) // says what to do
}

func TestAFolderIsUsedAgainWithNothingOfTheLastCallInIt(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	tool := newTool(t, r, "#!/bin/sh\nls \"${MCP_PROGRESS_STREAM%/*}\"; : >\"$MCP_TOOL_RESOURCES_FILE\"; mkdir \"${MCP_PROGRESS_STREAM%/*}/d\"")
	for range 3 {
		result, err := r.Call(t.Context(), new(heard).call(tool))
		is.NoErr(err)
		is.Equal(string(result.Content[0].JSON()), string(mcp.Text("stream\n").JSON())) // as new
	}
	is.Equal(len(callFolders(t, r)), 1) // one for all
}

func TestAFolderIsTidiedUpWhenTheClientHasItsResult(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	tool := newTool(t, r, "#!/bin/sh\necho left >\"${MCP_PROGRESS_STREAM%/*}/file\"")
	var rest []func()
	c := new(heard).call(tool)
	c.Later = func(f func()) { rest = append(rest, f) }
	_, err := r.Call(t.Context(), c)
	is.NoErr(err)
	before := callFolders(t, r)
	is.Equal(len(before), 1)
	is.Equal(len(rest), 1) // it waits
	rest[0]()
	after := callFolders(t, r)
	is.Equal(len(after), 1)
	is.True(after[0].Name() != before[0].Name()) // kept for the next call, under another name
	left, err := filepath.Glob(filepath.Join(r.State, callsName, "*", "*"))
	is.NoErr(err)
	is.Equal(len(left), 1) // the stream alone
}

func TestAFolderWithoutItsStreamIsNotUsedAgain(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	tool := newTool(t, r, "#!/bin/sh\nrm \"$MCP_PROGRESS_STREAM\"")
	_, err := r.Call(t.Context(), new(heard).call(tool))
	is.NoErr(err)
	is.Equal(len(callFolders(t, r)), 0) // gone
}

func TestTheFolderOfACallIsGoneAfterIt(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	_, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\n")))
	is.NoErr(err)
	is.Equal(len(callFolders(t, r)), 0) // nothing left
}

func TestTheFolderOfEachCallStaysIfItIsToBeLookedInto(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse, r.Keep = true, true
	tool := newTool(t, r, "#!/bin/sh\necho file >\"$MCP_TOOL_RESOURCES_FILE\"")
	for range 2 {
		_, err := r.Call(t.Context(), new(heard).call(tool))
		is.NoErr(err)
	}
	written, _ := filepath.Glob(filepath.Join(r.State, callsName, "*", "*"))
	is.Equal(len(written), 4) // a stream and what the tool wrote, of each
}

func TestStdinOfAToolIsEmptyAndItRunsInTheProject(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\ncat\npwd -P")))
	is.NoErr(err)
	root, _ := filepath.EvalSymlinks(r.Root)
	is.Equal(string(result.Content[0].JSON()), string(mcp.Text(root+"\n").JSON()))
}

func TestAToolIsToldTheRoots(t *testing.T) {
	is := is.New(t)
	got := run(t, `#!/bin/sh
printf '%s|%s|%s' "$MCP_ROOTS_COUNT" "$MCP_ROOTS_PATHS" "$MCP_ROOTS_JSON"`, func(c *Call) {
		c.Folders = []roots.Root{{URI: "file:///a", Name: "a", Path: "/a"}, {URI: "file:///b%20c", Name: "b c", Path: "/b c"}}
	})
	is.True(strings.Contains(got, `"2|/a\n/b c|[{\"uri\":\"file:///a\",\"name\":\"a\",\"path\":\"/a\"},{\"uri\":\"file:///b%20c\",\"name\":\"b c\",\"path\":\"/b c\"}]"`))
}

func TestFilesThatAToolNamesAreEmbedded(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	outside := filepath.Join(t.TempDir(), "secret")
	is.NoErr(os.WriteFile(outside, []byte("s"), 0o600))
	is.NoErr(os.WriteFile(filepath.Join(r.Root, "a.txt"), []byte("text"), 0o600))
	is.NoErr(os.WriteFile(filepath.Join(r.Root, "b.png"), []byte("\x89PNG\r\n\x1a\n\x00"), 0o600))
	is.NoErr(os.Symlink(outside, filepath.Join(r.Root, "link")))
	text := `{"type":"resource","resource":{"uri":"file://` + r.Root + `/a.txt","mimeType":"text/plain","text":"text"}}`
	blob := `"uri":"file://` + r.Root + `/b.png","mimeType":"image/png","blob":"iVBORw0KGgoA"`
	for _, c := range []struct{ list, want string }{
		{"a.txt", text},
		{r.Root + "/a.txt", text},
		{`"a.txt"`, text},
		{`["a.txt"]`, text},
		{`{"path":"a.txt"}`, text},
		{`[{"uri":"file://` + r.Root + `/a.txt"}]`, text},
		{"b.png", blob},
		{"a.txt\ttext/x-mine\tmine://a", `"uri":"mine://a","mimeType":"text/x-mine","text":"text"`},
	} {
		is := is.New(t)
		result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/sh\ncat >\"$MCP_TOOL_RESOURCES_FILE\" <<'E'\n"+c.list+"\nE")))
		is.NoErr(err)
		is.Equal(len(result.Content), 2)
		is.True(strings.Contains(string(result.Content[1].JSON()), c.want)) // the file
	}
	for _, list := range []string{outside, "link", "../" + filepath.Base(outside), "none", ".", `{"mimeType":"x"}`, `["`} {
		is := is.New(t)
		var h heard
		result, err := r.Call(t.Context(), h.call(newTool(t, r, "#!/bin/sh\ncat >\"$MCP_TOOL_RESOURCES_FILE\" <<'E'\n"+list+"\nE")))
		is.NoErr(err)
		is.Equal(len(result.Content), 1) // left out
		is.Equal(len(h.logs), 1)         // and told
	}
}

func TestTheTimeOfAToolStandsStillWhileItsClientIsAsked(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	installSDK(t, r)
	var h heard
	c := h.call(newTool(t, r, `#!/bin/bash
source "$MCP_SDK/tool-sdk.sh"
mcp_elicit_string "Who are you?"
`))
	limit := 400 * time.Millisecond
	c.Timeout = &limit
	c.Ask = func(context.Context, ...sdk.Question) []sdk.Answer {
		<-time.After(2 * limit) // the user thinks
		return []sdk.Answer{{Result: json.RawMessage(`{"action":"accept","content":{"value":"Ada"}}`)}}
	}
	c.Patient = true
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.True(strings.Contains(string(encode(result)), "Ada")) // and is not over
}
