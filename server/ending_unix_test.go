//go:build unix

package server_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// stubborn is a script that reports its start and ignores requests to end.
const stubborn = "#!/bin/sh\ntrap '' TERM\necho $$ >\"$MCPBASH_PROJECT_ROOT/pid\"\nwhile :; do sleep 0.02; done\n"

// startStubborn begins a call of a server that will not end by itself, and returns
// the id of its process.
func startStubborn(t *testing.T, srv *server.Server, root, method string, params any) int {
	t.Helper()
	c := join(t, srv)
	if _, err := c.DispatchCall(t.Context(), method, params); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		b, _ := os.ReadFile(filepath.Join(root, "pid"))
		if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && strings.HasSuffix(string(b), "\n") {
			return pid
		}
	}
	t.Fatal("it did not start")
	return 0
}

func TestNothingThatAServerStartedOutlivesIt(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		params map[string]any
	}{
		"a tool":          {"tools/call", map[string]any{"name": "stubborn"}},
		"a subscription":  {"resources/subscribe", map[string]any{"uri": "stubborn://x"}},
		"a provider":      {"resources/read", map[string]any{"uri": "stubborn://x"}},
		"a prompt script": {"prompts/get", map[string]any{"name": "stubborn"}},
	} {
		for _, by := range []string{"Close", "its context"} {
			t.Run(name+" by "+by, func(t *testing.T) {
				is := is.New(t)
				root := files(t, map[string]string{
					"tools/stubborn/tool.sh": stubborn, "providers/stubborn.sh": stubborn, "prompts/stubborn/stubborn.sh": stubborn,
					"prompts/stubborn/stubborn.meta.json": `{"name":"stubborn"}`,
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				srv, err := server.Open(ctx, server.Options{ProjectRoot: root, Environ: os.Environ(), Log: slog.New(slog.DiscardHandler)})
				is.NoErr(err)
				pid := startStubborn(t, srv, root, c.method, c.params)
				if by != "Close" {
					cancel()
				}
				is.NoErr(srv.Close())
				is.Equal(syscall.Kill(pid, 0), syscall.ESRCH) // gone when Close returns
			})
		}
	}
}

func TestARegistrationEndsWithItsServerWithoutAFault(t *testing.T) {
	is := is.New(t)
	root := files(t, map[string]string{
		"tools/a/tool.sh":      "#!/bin/sh\n",
		"server.d/register.sh": "#!/bin/sh\necho $$ >\"$MCPBASH_PROJECT_ROOT/pid\"\nsleep 77\n",
	})
	var log strings.Builder
	srv, err := server.Open(t.Context(), server.Options{
		ProjectRoot: root,
		Environ:     os.Environ(),
		Policy:      server.Policy{Hooks: server.AllHooks},
		Log:         slog.New(slog.NewTextHandler(&log, nil)),
	})
	is.NoErr(err)
	pid := startStubborn(t, srv, root, "tools/list", nil)
	is.NoErr(srv.Close())
	is.Equal(syscall.Kill(pid, 0), syscall.ESRCH) // it is gone
	is.Equal(log.String(), "")
}
