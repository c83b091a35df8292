//go:build unix

package main

import (
	"archive/zip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

// large is the size of a file that takes seconds to pack: nearly as much as a bundle can hold. It has
// no blocks on the disk.
const large = 2_000_000_000

func TestCtrlCEndsPackingAndLeavesNothingBehind(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, nil)
	is.NoErr(os.WriteFile(filepath.Join(root, "mcpb.conf"), []byte("MCPB_AUTHOR_NAME=Ada\n"), 0o644))
	data := filepath.Join(root, "tools", "greet", "data")
	is.NoErr(os.WriteFile(data, nil, 0o644))
	is.NoErr(os.Truncate(data, large))
	out := t.TempDir()
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "bundle", "-C", root, "--output", out)
	x.See("packing")
	x.Type(ptytest.CtrlC)
	is.Equal(x.Wait(), 130)
	is.True(!x.Screen().Contains("packing"))
	is.Equal(x.Screen().Column, 0)
	is.True(x.Cooked())
	left, err := os.ReadDir(out)
	is.NoErr(err)
	is.Equal(len(left), 0) // not even a part of it
}

// smallBundle makes a bundle without this program.
func smallBundle(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "demo.mcpb")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range map[string]string{
		"server/x": "x",
		"manifest.json": `{"manifest_version":"0.3","name":"demo","version":"1.0.0","description":"d","author":{"name":"Ada"},` +
			`"server":{"type":"binary","entry_point":"server/x","mcp_config":{"command":"${__dirname}/server/x"}}}`,
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCtrlCEndsSendingAndLeavesACleanLine(t *testing.T) {
	is := is.New(t)
	_, env := terminalProject(t, nil)
	received, never := make(chan struct{}), make(chan struct{})
	registry := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		close(received)
		<-never
	}))
	t.Cleanup(registry.Close)
	t.Cleanup(func() { close(never) })
	env = append(env, "MCP_REGISTRY_URL="+registry.URL, "MCP_REGISTRY_TOKEN=hush")
	x := ptytest.Start(t, ptytest.Options{Env: env}, "mcp-bash", "publish", smallBundle(t))
	x.See("sending")
	<-received
	x.Type(ptytest.CtrlC)
	is.Equal(x.Wait(), 130)
	is.Equal(x.Screen().String(), "✓ demo 1.0.0 is a bundle with no tools and no prompts")
	is.Equal(x.Screen().Column, 0)
	is.True(x.Cooked())
}
