package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A herald is a log handler that tells the client of a session too what goes
// wrong in its project: a broken file at the start, a broken edit later. What was
// logged before the session is ready is told then.
type herald struct {
	slog.Handler
	news *news
}

// news are the messages for the client.
type news struct {
	session *mcp.Session

	mu      sync.Mutex
	tell    func(mcp.LogParams) // nil until the session is ready
	waiting []mcp.LogParams
	missed  int
}

// maxNews is how many messages wait for a session.
const maxNews = 50

func newHerald(h slog.Handler, s *mcp.Session) herald {
	return herald{h, &news{session: s}}
}

func (h herald) Handle(ctx context.Context, r slog.Record) error {
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
		h.news.add(mcp.LogParams{Level: level, Logger: "mcp-bash.project", Data: text})
	}
	return h.Handler.Handle(ctx, r)
}

func (h herald) WithAttrs(attrs []slog.Attr) slog.Handler {
	return herald{h.Handler.WithAttrs(attrs), h.news}
}

func (h herald) WithGroup(name string) slog.Handler {
	return herald{h.Handler.WithGroup(name), h.news}
}

func (n *news) add(p mcp.LogParams) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.tell != nil:
		if n.session.Level().Covers(p.Level) {
			n.tell(p)
		}
	case len(n.waiting) < maxNews:
		n.waiting = append(n.waiting, p)
	default:
		n.missed++
	}
}

// begin tells what has waited, and from now on what happens.
func (n *news) begin(tell func(mcp.LogParams)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.missed > 0 {
		n.waiting = append(n.waiting, mcp.LogParams{Level: mcp.Warning, Logger: "mcp-bash.project", Data: fmt.Sprintf("and %d more; `mcp-bash validate` tells all of it", n.missed)})
	}
	for _, p := range n.waiting {
		if n.session.Level().Covers(p.Level) {
			tell(p)
		}
	}
	n.waiting, n.tell = nil, tell
}
