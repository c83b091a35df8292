package run

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestMain(m *testing.M) {
	shelltest.AtOnce(8)
	os.Exit(m.Run())
}

// newRuntime returns a runtime with a project folder of its own.
func newRuntime(t testing.TB) *Runtime {
	env := func() []string { return Isolation{Mode: Minimal}.Environment(os.Environ()) }
	r := &Runtime{
		Runner:  &process.Runner{},
		Root:    t.TempDir(),
		State:   t.TempDir(),
		Env:     env,
		Others:  env,
		Schemas: &Schemas{},
		SDK:     &sdk.Server{},
		Home:    func() (string, error) { return "/home", nil },
		Log:     slog.New(slog.DiscardHandler),
	}
	t.Cleanup(func() { r.Close() })
	t.Cleanup(func() { r.Runner.Close(0) })
	return r
}

// withTime calls try with a limit that is longer each time, until it reports success. How far a
// script comes within a limit depends on what else the machine does.
func withTime(t testing.TB, limit time.Duration, try func(limit time.Duration) bool) {
	t.Helper()
	for !try(limit) {
		if limit *= 2; limit > 30*time.Second {
			t.Fatal("it does not succeed, however long the limit is")
		}
	}
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

// installSDK puts the SDK where scripts of the runtime find it.
func installSDK(t testing.TB, r *Runtime) {
	home := t.TempDir()
	if _, err := sdk.Install(filepath.Join(home, "sdk")); err != nil {
		t.Fatal(err)
	}
	r.Home = func() (string, error) { return home, nil }
}

// newTool writes a script and returns the tool that it is.
func newTool(t testing.TB, r *Runtime, text string) *catalog.Tool {
	path := filepath.Join(r.Root, "tool.sh")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return &catalog.Tool{Described: catalog.Described{Name: "probe"}, Path: path, InputSchema: json.Value(`{"type":"object"}`), Settings: &catalog.Settings{}}
}

// heard records the progress and log messages of a call.
type heard struct {
	progress []mcp.ProgressParams
	logs     []mcp.LogParams
}

func (h *heard) call(tool *catalog.Tool) Call {
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

func encode(v any) []byte { return json.Encode(v) }
