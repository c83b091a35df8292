//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/ptytest"
)

func TestWatchDrawsAnewWithoutLeftovers(t *testing.T) {
	is := is.New(t)
	root, env := terminalProject(t, map[string]string{"waits": gate + "gate on\necho over\n"})
	open := gates(t, root, "on")
	server := exec.Command("mcp-bash", "serve", "-C", root)
	server.Env = append(env, "PATH="+os.Getenv("PATH"))
	in, err := server.StdinPipe()
	is.NoErr(err)
	is.NoErr(server.Start())
	defer server.Wait()
	defer in.Close()
	say := func(line string) {
		t.Helper()
		_, err := in.Write([]byte(line + "\n"))
		is.NoErr(err)
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"robot","version":"1.0"}}}`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"waits"}}`)

	for _, end := range []string{"q", ptytest.CtrlC} {
		x := ptytest.Start(t, ptytest.Options{Columns: 40, Lines: 60, Env: env}, "mcp-bash", "watch", root)
		s := x.See("tools/call waits")
		is.True(s.Alternate)
		is.True(s.Hidden)
		is.True(s.Contains("  pid "))
		x.Resize(80, 60)
		x.Until("the wider terminal is used", func(s ptytest.Screen) bool {
			return s.Contains("1 calls · 0 in the last minute · 0 failed · 0 refused · 0 cancelled") || s.Contains("failed · 0 refused · 0 cancelled")
		})
		x.Resize(40, 60)
		s = x.Until("the narrow one is, too", func(s ptytest.Screen) bool { return s.Contains("  in") || s.Contains("    cancelled") })
		is.Equal(strings.Count(s.String(), "q ends"), 1)
		is.Equal(strings.Count(s.String(), filepath.Base(root)+"  "), 1)
		x.Type(end)
		is.Equal(x.Wait(), 0)
		is.True(x.Cooked())
		s = x.Screen()
		is.True(!s.Alternate && !s.Hidden)
		is.Equal(s.String(), "") // as it was before
	}
	open("on")
}
