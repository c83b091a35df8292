package server_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A server has the processes of scripts adopted when it begins, so it must begin before it runs any.
func TestWhatRegisterShLeavesBehindIsEndedWhoeverAsksFirst(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *server.Server) error{
		"a worker": func(ctx context.Context, s *server.Server) error {
			_, err := s.Tool(ctx, "none")
			return err
		},
		"a transport": func(ctx context.Context, s *server.Server) error {
			s.InputSchema(ctx, "none")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			o := server.Options{Log: slog.New(slog.DiscardHandler), AdoptOrphans: true, ProjectRoot: files(t, map[string]string{
				"server.d/register.sh": "(env -i PATH=\"$PATH\" setsid sh -c 'echo $$ >pid; exec sleep 77' &)\nwhile ! [ -s pid ]; do sleep 0.01; done\n",
			})}
			o.Policy.Hooks = server.AllHooks
			srv, err := server.Open(t.Context(), o)
			is.NoErr(err)
			_ = ask(t.Context(), srv)
			pid, err := os.ReadFile(filepath.Join(o.ProjectRoot, "pid"))
			is.NoErr(err)
			_, err = os.Stat("/proc/" + strings.TrimSpace(string(pid)))
			is.True(os.IsNotExist(err))
			is.NoErr(srv.Close())
		})
	}
}
