package run

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func needCage(t *testing.T) {
	t.Helper()
	if err := cage.Available(); err != nil {
		t.Skip("this kernel has no sandbox for tools, so what it keeps out is not tested: ", err)
	}
}

// callIn calls a script in a sandbox.
func callIn(t *testing.T, r *Runtime, s *catalog.Sandbox, script string, change ...func(*Call)) *mcp.CallToolResult {
	t.Helper()
	c := new(heard).call(newTool(t, r, script))
	c.Tool.Sandbox = s
	for _, f := range change {
		f(&c)
	}
	result, err := r.Call(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func readOnly(c *Call) { c.Tool.ReadOnly = true }

func in(dir string) func(*Call) {
	return func(c *Call) { c.Folders = []roots.Root{{Path: dir, Name: "root"}} }
}

func TestAReadOnlyToolInASandboxWritesNowhereButToItsOwnFolder(t *testing.T) {
	needCage(t)
	is := is.New(t)
	r, root := newRuntime(t), t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(root, "text"), []byte("text"), 0o600))
	result := callIn(t, r, &catalog.Sandbox{Auto: true}, `#!/bin/bash
cat "$MCP_ROOTS_PATHS/text" # it reads what its client works in
call=${MCP_TOOL_ERROR_FILE%/*}
for place in "$MCP_ROOTS_PATHS" "$PWD" "$HOME" /tmp /var/tmp /dev/shm "$MCPBASH_HOME" "$call/.." "$call/../.."; do
	{ : > "$place/mcp-bash-test"; } 2>/dev/null && echo "wrote to $place"
	{ : > "$MCP_TOOL_PATH"; } 2>/dev/null && echo "wrote to itself"
done
here=$(mktemp) && echo " and its own" > "$here" && cat "$here"
`, readOnly, in(root))
	is.Equal(string(result.Content[0].JSON()), string(mcp.Text("text and its own\n").JSON()))
}

func TestAToolInASandboxDoesAllThatTheSDKHas(t *testing.T) {
	needCage(t)
	is := is.New(t)
	r := newRuntime(t)
	installSDK(t, r)
	var h heard
	c := h.call(newTool(t, r, `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_progress 50 half
mcp_log_info probe "at work"
long=$(mcp_args_get .long)
while read -r line; do mcp_json_obj name "$(mcp_args_get .name)" length "${#long}" line "$line"; done < <(echo x)
echo '{"method":"notifications/message","params":{"level":"info","data":1}}' >>"$MCP_LOG_STREAM"
`))
	c.Args = json.RawMessage(`{"name":"Ada","long":"` + strings.Repeat("x", 100_000) + `"}`)
	c.Meta = json.RawMessage(`{"progressToken":1}`)
	c.Tool.Sandbox, c.Tool.ReadOnly = &catalog.Sandbox{Auto: true}, true
	result, err := r.Call(t.Context(), c)
	is.NoErr(err)
	is.Equal(string(result.StructuredContent), `{"name":"Ada","length":"100000","line":"x"}`)
	is.Equal(len(h.progress), 1)
	is.Equal(len(h.logs), 2)
}

func TestASandboxGivesWhatItNames(t *testing.T) {
	needCage(t)
	is := is.New(t)
	r, elsewhere, root := newRuntime(t), t.TempDir(), t.TempDir()
	is.NoErr(os.Mkdir(filepath.Join(r.Root, "out"), 0o700))
	is.NoErr(os.WriteFile(filepath.Join(elsewhere, "text"), []byte("text\n"), 0o600))
	s := &catalog.Sandbox{Read: []string{elsewhere}, Write: []string{"out", catalog.SandboxRoots}}
	result := callIn(t, r, s, `#!/bin/sh
cat '`+elsewhere+`/text'; echo x > out/x; echo x > "$MCP_ROOTS_PATHS/x"
(: > x) 2>/dev/null || echo no; (: > '`+elsewhere+`/x') 2>/dev/null || echo no`, in(root))
	is.Equal(string(result.Content[0].JSON()), string(mcp.Text("text\nno\nno\n").JSON()))
	for _, dir := range []string{filepath.Join(r.Root, "out"), root} {
		_, err := os.Stat(filepath.Join(dir, "x"))
		is.NoErr(err) // what it may write to
	}
	s.Write = []string{"missing"}
	result = callIn(t, r, s, "#!/bin/sh\necho ran", in(root))
	is.True(result.IsError)
	is.True(strings.Contains(string(result.Content[0].JSON()), "/missing: no such file or directory")) // and it did not run
}

// A tool that can change scripts of the project changes what runs next, without a sandbox.
func TestAGuessedSandboxDoesNotLetAToolWriteToItsProject(t *testing.T) {
	needCage(t)
	is := is.New(t)
	r := newRuntime(t)
	for _, root := range []string{r.Root, filepath.Dir(r.Root)} {
		result := callIn(t, r, &catalog.Sandbox{Auto: true}, "#!/bin/sh\n(: >> \"$MCP_TOOL_PATH\") 2>/dev/null || echo no", in(root))
		is.Equal(string(result.Content[0].JSON()), string(mcp.Text("no\n").JSON()))
	}
}

func TestWithoutAHomeThereIsNothingBelowIt(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Program = "/program"
	s := &catalog.Sandbox{Read: []string{"~/etc", "~"}}
	c := new(heard).call(newTool(t, r, "#!/bin/sh\n"))
	for home, want := range map[string][]string{
		"":      {filepath.Join(r.Root, "~/etc"), filepath.Join(r.Root, "~")}, // not /etc
		"/home": {"/home/etc", "/home"},
	} {
		rules := r.reach(c, s, &folder{path: "/call"}, []string{"HOME=" + home})
		is.Equal(rules.Read[len(rules.Read)-2:], want)
	}
}

func TestTheOperatorPutsAllToolsIntoASandbox(t *testing.T) {
	needCage(t)
	const probe = "#!/bin/sh\n(: > x) 2>/dev/null && echo yes || echo no"
	for _, c := range []struct {
		all  bool
		own  *catalog.Sandbox
		want string
	}{
		{false, nil, "yes\n"}, {false, &catalog.Sandbox{None: true}, "yes\n"},
		{true, nil, "no\n"}, {true, &catalog.Sandbox{None: true}, "no\n"},
		{true, &catalog.Sandbox{Write: []string{"."}}, "yes\n"}, // what a tool names is its author's word
	} {
		is := is.New(t)
		r := newRuntime(t)
		r.CageAll = c.all
		is.Equal(string(callIn(t, r, c.own, probe).Content[0].JSON()), string(mcp.Text(c.want).JSON()))
	}
}

// What the server does for a tool it does with the rights of the tool.
func TestTheServerReadsNothingForAToolThatTheToolMayNotRead(t *testing.T) {
	needCage(t)
	is := is.New(t)
	r, root := newRuntime(t), t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(root, "secret"), []byte("secret"), 0o600))
	const probe = "#!/bin/sh\necho \"$MCP_ROOTS_PATHS/secret\" > \"$MCP_TOOL_RESOURCES_FILE\""
	is.Equal(len(callIn(t, r, &catalog.Sandbox{Read: []string{catalog.SandboxRoots}}, probe, in(root)).Content), 2)
	is.Equal(len(callIn(t, r, &catalog.Sandbox{}, probe, in(root)).Content), 1) // without it
}

func TestTheServerDownloadsNothingForAToolWithoutANetwork(t *testing.T) {
	needCage(t)
	for _, network := range []bool{false, true} {
		is := is.New(t)
		r := newRuntime(t)
		installSDK(t, r)
		result := callIn(t, r, &catalog.Sandbox{Network: network}, `#!/usr/bin/env bash
. "$MCP_SDK/tool-sdk.sh"
mcp_download_safe --url https://127.0.0.1/x --allow 127.0.0.1 --out x`)
		is.Equal(strings.Contains(string(result.Content[0].JSON()), "denies access to the network"), !network)
	}
}

func TestACancelledToolCannotMakeTheServerWriteElsewhere(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	precious := filepath.Join(t.TempDir(), "precious")
	is.NoErr(os.WriteFile(precious, []byte("precious"), 0o600))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	c := new(heard).call(newTool(t, r, "#!/bin/sh\nln -s '"+precious+"' \"$MCP_CANCEL_FILE\"\n"+
		`echo '{"method":"notifications/message","params":{"level":"info","data":1}}' >>"$MCP_LOG_STREAM"; exec sleep 77`))
	gone := errors.New("cancelled")
	c.Log = func(context.Context, mcp.LogParams) error { cancel(gone); return nil }
	_, err := r.Call(ctx, c)
	is.True(errors.Is(err, gone))
	text, err := os.ReadFile(precious)
	is.NoErr(err)
	is.Equal(string(text), "precious") // neither emptied nor written
}

func TestNoTwoCallsHaveAFolderOfTheSameName(t *testing.T) {
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	seen := map[string]bool{}
	for range 5 {
		seen[string(callIn(t, r, nil, "#!/bin/sh\necho ${MCP_PROGRESS_STREAM%/*}").Content[0].JSON())] = true
	}
	is.Equal(len(seen), 5)
	is.Equal(len(callFolders(t, r)), 1) // though it is the same folder
}

func TestTheFolderOfCallsHasNoList(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may list every folder, so a folder without a list cannot be shown as root")
	}
	is := is.New(t)
	got := callIn(t, newRuntime(t), nil, "#!/bin/sh\nls \"${MCP_PROGRESS_STREAM%/*/*}\" >/dev/null 2>&1 || echo no")
	is.Equal(string(got.Content[0].JSON()), string(mcp.Text("no\n").JSON()))
}

// BenchmarkSandbox calls a script that does nothing without a sandbox and in one, one after the
// other, so that both meet the same machine.
func BenchmarkSandbox(b *testing.B) {
	if err := cage.Available(); err != nil {
		b.Skip("this kernel has no sandbox for tools, so what it keeps out is not tested: ", err)
	}
	r := newRuntime(b)
	r.Reuse = true
	free := new(heard).call(newTool(b, r, "#!/bin/bash\n:\n"))
	boxed := free
	tool := *free.Tool
	tool.Sandbox = &catalog.Sandbox{}
	boxed.Tool = &tool
	var took [2]time.Duration
	for b.Loop() {
		for i, c := range []Call{free, boxed} {
			start := time.Now()
			if _, err := r.Call(b.Context(), c); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(took[0].Nanoseconds())/float64(b.N), "ns/free")
	b.ReportMetric(float64(took[1].Nanoseconds())/float64(b.N), "ns/boxed")
}

func TestAStreamThatAToolInASandboxHasReplacedIsNotForOthers(t *testing.T) {
	needCage(t)
	is := is.New(t)
	r := newRuntime(t)
	r.Reuse = true
	call := func() {
		t.Helper()
		is.Helper()
		result, err := r.Call(t.Context(), new(heard).call(newTool(t, r, "#!/bin/bash\n[[ -p $MCP_PROGRESS_STREAM ]] && echo a pipe")))
		is.NoErr(err)
		is.Equal(string(result.Content[0].JSON()), string(mcp.Text("a pipe\n").JSON()))
	}
	call()
	folder := filepath.Join(r.State, callsName, callFolders(t, r)[0].Name())
	long := time.Unix(1e9, 0)
	is.NoErr(os.Chtimes(folder, long, long))
	call()
	callIn(t, r, &catalog.Sandbox{Auto: true}, `#!/bin/bash
folder=${MCP_PROGRESS_STREAM%/*}
rm "$MCP_PROGRESS_STREAM" && ln -s /tmp/elsewhere "$MCP_PROGRESS_STREAM" && rmdir "$folder/tmp"
touch -d @1000000000 "$folder"`)
	call()
}
