package server

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// ProjectLogger is the logger that log messages to clients name if they are in the server's own log
// too.
const ProjectLogger = "mcp-bash.project"

// A forwarding sends warnings and errors of the project's log to clients too: a broken file at the
// start, a broken edit later. Those that are logged before there is a session are kept for the
// first one.
type forwarding struct {
	server *Server

	mu   sync.Mutex
	kept []mcp.LogParams // at most maxLogs
	had  bool            // there was a session
}

// handler returns a log handler that does what h does and forwards warnings and
// errors.
func (f *forwarding) handler(h slog.Handler) slog.Handler { return forwarder{h, f} }

// first returns what was kept, to its first caller.
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
