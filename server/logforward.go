package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// ProjectLogger is what log messages to clients name as their logger where the
// server's own log has them, too.
const ProjectLogger = "mcp-bash.project"

// forwarding passes what goes wrong in the project on to clients, not only to the
// log: a broken file at the start, a broken edit later. What is logged before
// there is a session is kept for the first one.
type forwarding struct {
	server *Server

	mu   sync.Mutex
	kept []mcp.LogParams // at most maxLogs
	had  bool            // there was a session
}

// handler returns a log handler that does what h does and forwards warnings and
// errors.
func (f *forwarding) handler(h slog.Handler) slog.Handler { return forwarder{h, f} }

// first returns what was kept, to the first who asks.
func (f *forwarding) first() []mcp.LogParams {
	f.mu.Lock()
	defer f.mu.Unlock()
	kept := f.kept
	f.kept, f.had = nil, true
	return kept
}

func (f *forwarding) forward(p mcp.LogParams) {
	f.mu.Lock()
	if !f.had && len(f.kept) < maxLogs {
		f.kept = append(f.kept, p)
	}
	f.mu.Unlock()
	f.server.each(func(sess *session) { sess.notices.log(p) })
}

// A forwarder is the log handler of a forwarding.
type forwarder struct {
	slog.Handler
	to *forwarding
}

func (f forwarder) Handle(ctx context.Context, r slog.Record) error {
	if f.to.server.context.Err() != nil {
		return nil // what the end of the server interrupts is not a fault of the project
	}
	if r.Level >= slog.LevelWarn {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool {
			text += fmt.Sprintf(" (%s: %v)", a.Key, a.Value)
			return true
		})
		level := mcp.Warning
		if r.Level >= slog.LevelError {
			level = mcp.Error
		}
		f.to.forward(mcp.LogParams{Level: level, Logger: ProjectLogger, Data: text})
	}
	return f.Handler.Handle(ctx, r)
}

func (f forwarder) WithAttrs(attrs []slog.Attr) slog.Handler {
	return forwarder{f.Handler.WithAttrs(attrs), f.to}
}

func (f forwarder) WithGroup(name string) slog.Handler {
	return forwarder{f.Handler.WithGroup(name), f.to}
}
