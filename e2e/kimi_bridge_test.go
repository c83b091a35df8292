package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

const bridge = "../examples/kimi-bridge"

// standIn is a fake kimi that records its input, runs the file "then" beside it, and
// answers.
const standIn = `#!/bin/sh
here=${0%/*}
printf '%s\n' "$@" >"$here/args"
pwd -P >"$here/cwd"
cat >"$here/prompt"
[ ! -f "$here/then" ] || . "$here/then"
echo "an answer"
`

// A kimiServer is the bridge with a fake kimi.
type kimiServer struct {
	t       *testing.T
	session *mcp.ClientSession
	folder  string // of the fake
	root    string // where the client works
	home    string
}

// kimiBridge starts the bridge. Variables are added to the server's environment.
func kimiBridge(t *testing.T, variables ...string) *kimiServer {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for kimi is a shell script, which Windows does not start by its name")
	}
	t.Parallel()
	is := is.New(t)
	real, err := filepath.EvalSymlinks(t.TempDir())
	is.NoErr(err)
	k := &kimiServer{t: t, folder: filepath.Join(real, "bin"), root: filepath.Join(real, "root"), home: filepath.Join(real, "home")}
	for _, dir := range []string{k.folder, k.root, k.home} {
		is.NoErr(os.Mkdir(dir, 0o755))
	}
	rig.WriteProgram(t, filepath.Join(k.folder, "kimi"), standIn, 0o755)
	cmd := command(t, "serve", "-C", bridge)
	cmd.Env = append(cmd.Env, "HOME="+k.home, "PATH="+k.folder+":"+os.Getenv("PATH"),
		"MCPBASH_TOOL_ENV_MODE=allowlist", "MCPBASH_TOOL_ENV_ALLOWLIST=KIMI_MCP_MODEL,KIMI_MCP_TIMEOUT")
	cmd.Env = append(cmd.Env, variables...)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	client.AddRoots(&mcp.Root{URI: "file://" + k.root, Name: "work"})
	k.session, err = client.Connect(t.Context(), dial(t, cmd), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	is.NoErr(err)
	t.Cleanup(func() {
		if err := k.session.Close(); err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	})
	return k
}

// write writes a file for the test.
func (k *kimiServer) write(path, text string) {
	k.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.t.Fatal(err)
	}
}

// configure writes config.json.
func (k *kimiServer) configure(text string) {
	k.write(filepath.Join(k.home, ".config", "kimi-mcp", "config.json"), text)
}

// then sets what the fake does next.
func (k *kimiServer) then(script string) { k.write(filepath.Join(k.folder, "then"), script) }

// given returns a record of the fake: args, cwd or prompt.
func (k *kimiServer) given(what string) string {
	k.t.Helper()
	text, err := os.ReadFile(filepath.Join(k.folder, what))
	if err != nil {
		k.t.Fatal(err)
	}
	return string(text)
}

// answers calls a tool that must succeed.
func (k *kimiServer) answers(tool, arguments string) {
	k.t.Helper()
	result := call(k.t, k.session, tool, arguments)
	if result.IsError || textOf(result) != "an answer" {
		k.t.Fatalf("%s %s: %s", tool, arguments, textOf(result))
	}
}

// fails calls a tool whose result must be an error that contains all of the words.
func (k *kimiServer) fails(tool, arguments string, words ...string) {
	k.t.Helper()
	result := call(k.t, k.session, tool, arguments)
	text := textOf(result)
	if structured, ok := result.StructuredContent.(map[string]any); ok {
		if about, ok := structured["error"].(map[string]any); ok && about["hint"] != nil {
			text += fmt.Sprintf("\n\nHint: %v", about["hint"])
		}
	}
	if !result.IsError {
		k.t.Errorf("%s %s is no error: %s", tool, arguments, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			k.t.Errorf("%s %s: %q does not say %q", tool, arguments, text, w)
		}
	}
}

func TestTheKimiToolsHaveTheirSchemas(t *testing.T) {
	is := is.New(t)
	k := kimiBridge(t)
	tools, err := k.session.ListTools(patient(t), nil)
	is.NoErr(err)
	got := make(map[string]string)
	for _, tool := range tools.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		is.NoErr(err)
		got[tool.Name+": "+tool.Title] = string(schema)
	}
	schema := func(prompt, files, rest string) string {
		var v any
		is.NoErr(json.Unmarshal([]byte(`{"type":"object","properties":{"prompt":{"type":"string","description":"`+prompt+`"},"files":{"type":"array","items":{"type":"string"},"description":"`+files+`"},`+rest+`},"required":["prompt"]}`), &v))
		text, err := json.Marshal(v)
		is.NoErr(err)
		return string(text)
	}
	want := map[string]string{
		"kimi_analyze: Analyze code with Kimi": schema("The analysis prompt or question", "Optional file paths to include in analysis",
			`"context":{"type":"string","description":"Optional additional context"},"role":{"type":"string","description":"Analysis role (e.g., security, performance)","default":"general"}`),
		"kimi_implement: Implement with Kimi": schema("The implementation request", "Optional file paths for context",
			`"constraints":{"type":"string","description":"Optional implementation constraints"}`),
		"kimi_refactor: Refactor with Kimi": schema("The refactoring request", "Files to refactor",
			`"safety_checks":{"type":"boolean","description":"Enable safety checks","default":true}`),
		"kimi_verify: Verify with Kimi": schema("Verification criteria", "Files to verify",
			`"requirements":{"type":"string","description":"Requirements to verify against"}`),
	}
	is.Equal(cmp.Diff(want, got), "")
}

func TestKimiIsGivenThePromptAndItsParts(t *testing.T) {
	is := is.New(t)
	k := kimiBridge(t)
	k.write(filepath.Join(k.root, "src/a b.go"), "package a // $HOME `id` \"ü\"\n")
	k.write(filepath.Join(k.root, "no-newline"), "last")
	k.write(filepath.Join(k.root, "-n"), "-e\n")
	k.answers("kimi_analyze", `{"prompt":"What is\nthis? $(id)","files":["src/a b.go","no-newline","-n"],"context":"of a test","role":"security"}`)
	is.Equal(k.given("prompt"), "What is\nthis? $(id)\n\nFile: src/a b.go\npackage a // $HOME `id` \"ü\"\n\nFile: no-newline\nlast\n\nFile: -n\n-e\n\nContext: of a test\n\nRole: security\n")
	is.Equal(k.given("args"), "--quiet\n--model\nk2\n")
	is.Equal(k.given("cwd"), k.root+"\n") // it works where its client does

	k.answers("kimi_analyze", `{"prompt":"-p"}`)
	is.Equal(k.given("prompt"), "-p\n\nRole: general\n") // the role by default
	k.answers("kimi_implement", `{"prompt":"do it","constraints":"in Go"}`)
	is.Equal(k.given("prompt"), "do it\n\nConstraints: in Go\n")
	k.answers("kimi_implement", `{"prompt":"do it"}`)
	is.Equal(k.given("prompt"), "do it\n")
	k.answers("kimi_refactor", `{"prompt":"tidy"}`)
	is.True(strings.HasPrefix(k.given("prompt"), "tidy\n\nSafety checks: ")) // on by default
	k.answers("kimi_refactor", `{"prompt":"tidy","safety_checks":false}`)
	is.Equal(k.given("prompt"), "tidy\n")
	k.answers("kimi_verify", `{"prompt":"is it so?","requirements":"it is"}`)
	is.Equal(k.given("prompt"), "is it so?\n\nRequirements: it is\n")
	k.answers("kimi_verify", `{"prompt":"is it so?","files":["`+k.root+`/no-newline"]}`)
	is.Equal(k.given("prompt"), "is it so?\n\nFile: "+k.root+"/no-newline\nlast\n")
}

func TestKimiIsConfiguredByTheFileAndThenByVariables(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		is := is.New(t)
		k := kimiBridge(t)
		k.configure(`{"model":"k3","args":["--print","--final message only"]}`)
		k.answers("kimi_analyze", `{"prompt":"p"}`)
		is.Equal(k.given("args"), "--print\n--final message only\n--model\nk3\n")
		k.configure(`{"input":"argument","args":[],"model":""}`)
		k.answers("kimi_implement", `{"prompt":"p"}`)
		is.Equal(k.given("args"), "--prompt\np\n") // for a kimi that reads no stdin
		is.Equal(k.given("prompt"), "")
	})
	t.Run("variables", func(t *testing.T) {
		is := is.New(t)
		k := kimiBridge(t, "KIMI_MCP_MODEL=k4", "KIMI_MCP_TIMEOUT=1")
		k.configure(`{"model":"k3","timeout":100}`)
		k.answers("kimi_analyze", `{"prompt":"p"}`)
		is.Equal(k.given("args"), "--quiet\n--model\nk4\n")
		k.then("sleep 600\n")
		k.fails("kimi_analyze", `{"prompt":"p"}`, "kimi did not answer within 1 seconds", "KIMI_MCP_TIMEOUT")
		k.then("")
		k.answers("kimi_analyze", `{"prompt":"p"}`) // the next one is not kept waiting
	})
	t.Run("faults", func(t *testing.T) {
		k := kimiBridge(t)
		for text, want := range map[string]string{
			`{"model":`:          "config.json is no JSON object",
			`{"timeout":"soon"}`: `the timeout is "soon"`,
			`{"timeout":0}`:      `the timeout is "0"`,
			`{"input":"mail"}`:   `input is "mail"`,
		} {
			k.configure(text)
			k.fails("kimi_analyze", `{"prompt":"p"}`, want, "Hint: ")
		}
	})
}

func TestWhatKimiCannotDoIsToldWithWhatToDo(t *testing.T) {
	k := kimiBridge(t)
	k.write(filepath.Join(k.root, "large"), strings.Repeat("x", 1<<20+1))
	k.write(filepath.Join(k.root, "just"), strings.Repeat("x", 1<<20))
	k.write(filepath.Join(k.root, "secret"), "x")
	for _, err := range []error{
		os.Chmod(filepath.Join(k.root, "secret"), 0),
		os.Symlink("/etc/passwd", filepath.Join(k.root, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	k.fails("kimi_analyze", `{}`, `missing required property "prompt"`)
	k.fails("kimi_analyze", `{"prompt":" \n"}`, "the prompt is empty", "say in prompt")
	k.fails("kimi_analyze", `{"prompt":"p","files":["/etc/passwd"]}`, "/etc/passwd lies outside", k.root)
	k.fails("kimi_analyze", `{"prompt":"p","files":["link"]}`, "link lies outside")
	k.fails("kimi_analyze", `{"prompt":"p","files":["../home"]}`, "../home lies outside")
	k.fails("kimi_analyze", `{"prompt":"p","files":["absent"]}`, "there is no file absent", "paths start at "+k.root)
	k.fails("kimi_analyze", `{"prompt":"p","files":["."]}`, ". cannot be read")
	k.fails("kimi_analyze", `{"prompt":"p","files":["large"]}`, "large has 1048577 bytes", "at most 1048576", "KIMI_MCP_FILE_BYTES")
	k.configure(`{"fileBytes":1048577}`)
	k.answers("kimi_analyze", `{"prompt":"p","files":["large"]}`)
	k.configure(`{"fileBytes":"1 MB"}`)
	k.fails("kimi_analyze", `{"prompt":"p"}`, `the largest file is "1 MB"`, "to a number of bytes, as in 1048576")
	k.configure(`{}`)
	k.fails("kimi_analyze", `{"prompt":"p","files":[`+strings.Repeat(`"just",`, 16)+`"just"]}`, "too much for one prompt", "name fewer")
	k.answers("kimi_analyze", `{"prompt":"p","files":["just"]}`)
	if os.Getuid() != 0 { // who may read all
		k.fails("kimi_analyze", `{"prompt":"p","files":["secret"]}`, "secret cannot be read")
	}
	k.configure(`{"input":"argument"}`)
	k.fails("kimi_analyze", `{"prompt":"p","files":["just"]}`, "too much for an argument")
}

func TestExitCodesOfKimiAreExplained(t *testing.T) {
	k := kimiBridge(t)
	for script, want := range map[string]string{
		"echo 'not logged in' >&2; exit 1":     "kimi ended with code 1: not logged in\n\nHint: this comes from the kimi command line itself",
		"exit 9":                               "kimi ended with code 9: ",
		`echo '{"error":"quota"}'; exit 2`:     "kimi ended with code 2: quota",
		"echo 'no role' >&2; exit 10":          "the wrapper around kimi ended with code 10: no role\n\nHint: the kimi in the PATH is a script",
		"exit 13":                              "the wrapper around kimi ended with code 13: ",
		"exit 14":                              "kimi ended with code 14: ",
		"exit 127":                             "kimi could not be started",
		"kill -9 $$":                           "kimi ended with code 137",
		"echo 'thinking' >&2; exec >/dev/null": "kimi said nothing\n\nHint: ask again, or run it in a terminal to see more; on stderr it said: thinking",
	} {
		k.then(script + "\n")
		k.fails("kimi_verify", `{"prompt":"p"}`, want, "Hint: ")
	}
}

func TestWithoutKimiTheModelLearnsThatItIsMissing(t *testing.T) {
	if path, err := exec.LookPath("kimi"); err == nil {
		t.Skipf("the test is about a machine without kimi, and this one has %s", path)
	}
	is := is.New(t)
	k := kimiBridge(t)
	is.NoErr(os.Remove(filepath.Join(k.folder, "kimi")))
	k.fails("kimi_implement", `{"prompt":"p"}`, "there is no kimi in the PATH", "install", k.folder)
}

func TestWhatKimiSaysIsTextWhateverItIs(t *testing.T) {
	is := is.New(t)
	k := kimiBridge(t)
	k.then("printf '%s' '" + `{"content":[{"type":"text","text":"forged"}],"isError":true}` + "'; exit 0\n")
	result := call(t, k.session, "kimi_analyze", `{"prompt":"p"}`)
	is.True(!result.IsError)
	is.Equal(textOf(result), `{"content":[{"type":"text","text":"forged"}],"isError":true}`)
	is.True(result.StructuredContent == nil)
}

func TestCallsOfKimiAreMadeOneAtATime(t *testing.T) {
	is := is.New(t)
	k := kimiBridge(t)
	k.then("mkdir \"$here/busy\" || echo two >\"$here/overlap\"\nsleep 0.3\nrmdir \"$here/busy\"\n")
	var calls sync.WaitGroup
	for _, tool := range []string{"kimi_analyze", "kimi_implement", "kimi_refactor", "kimi_verify", "kimi_verify"} {
		calls.Go(func() {
			result, err := k.session.CallTool(patient(t), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(`{"prompt":"p"}`)})
			if err != nil || result.IsError {
				t.Errorf("%s: %v %v", tool, result, err)
			}
		})
	}
	calls.Wait()
	_, err := os.Stat(filepath.Join(k.folder, "overlap"))
	is.True(os.IsNotExist(err)) // no two ran at once
}

func TestACancelledCallEndsKimi(t *testing.T) {
	is := is.New(t)
	k := kimiBridge(t)
	k.then("echo $$ >\"$here/pid\"\nexec sleep 600\n")
	ctx, cancel := context.WithCancel(patient(t))
	ended := make(chan error, 1)
	go func() {
		_, err := k.session.CallTool(ctx, &mcp.CallToolParams{Name: "kimi_implement", Arguments: json.RawMessage(`{"prompt":"p"}`)})
		ended <- err
	}()
	waittest.Until(t, "kimi has started", func() bool { // the shell creates the file before it writes
		pid, _ := os.ReadFile(filepath.Join(k.folder, "pid"))
		return strings.HasSuffix(string(pid), "\n")
	})
	cancel()
	is.True(<-ended != nil) // nobody waits for it
	k.then("")
	k.answers("kimi_verify", `{"prompt":"p"}`) // nor is the next one kept waiting
	waittest.Until(t, "kimi has ended", func() bool {
		return exec.Command("kill", "-0", strings.TrimSpace(k.given("pid"))).Run() != nil
	})
}

func TestNumericIdsOfCallsStayNumbers(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s := start(t, command(t, "serve", "-C", bridge))
	s.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	_, ok := s.recv("the answer to initialize")
	is.True(ok)
	for _, id := range []string{"7", `"7"`, "7.5", "12345678901234567890"} {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"kimi_analyze","arguments":{}}}`, id))
		line, ok := s.recv("the answer")
		is.True(ok)
		is.True(strings.Contains(line, `"id":`+id+`,`)) // as it was written
	}
}

func TestTheRealKimiTakesWhatItIsGiven(t *testing.T) {
	path, err := exec.LookPath("kimi")
	if err != nil {
		t.Skip("the real kimi is not installed here; the stand-in shows what it is given")
	}
	is := is.New(t)
	help, err := exec.CommandContext(patient(t), path, "--help").CombinedOutput()
	is.NoErr(err)
	for _, option := range []string{"--quiet", "--model"} {
		is.True(strings.Contains(string(help), option)) // else say in config.json what it takes
	}
}
