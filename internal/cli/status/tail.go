package status

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/redact"
)

// A tail keeps the last lines of a log.
type tail struct {
	rules redact.Rules

	mu   sync.Mutex
	last []Line
}

// Handler returns a log handler that passes on to next and keeps the last records for
// snapshots.
func (b *Board) Handler(next slog.Handler) slog.Handler { return keeper{Handler: next, tail: &b.log} }

type keeper struct {
	slog.Handler
	tail  *tail
	about string // attributes of the logger
	group string // before the names of attributes
}

func (k keeper) Handle(ctx context.Context, r slog.Record) error {
	k.tail.add(k.lineOf(r))
	return k.Handler.Handle(ctx, r)
}

func (k keeper) WithAttrs(attrs []slog.Attr) slog.Handler {
	k.Handler = k.Handler.WithAttrs(attrs)
	for _, a := range attrs {
		k.about += attribute(k.group, a)
	}
	return k
}

func (k keeper) WithGroup(name string) slog.Handler {
	k.Handler = k.Handler.WithGroup(name)
	k.group += name + "."
	return k
}

func (t *tail) add(l Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, l)
	t.last = t.last[max(0, len(t.last)-shownLines):]
}

// lines returns what is kept, newest last.
func (t *tail) lines() []Line {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Line{}, t.last...)
}

// lineOf formats a record at once, because what its attributes point to may change.
func (k keeper) lineOf(r slog.Record) Line {
	text := r.Message + k.about
	r.Attrs(func(a slog.Attr) bool {
		text += attribute(k.group, a)
		return len(text) <= lineBytes
	})
	text = k.tail.rules.Known(text)
	if len(text) > lineBytes {
		text = strings.ToValidUTF8(text[:lineBytes], "") + "…"
	}
	return Line{Time: r.Time.UTC(), Level: strings.ToLower(r.Level.String()), Text: text}
}

func attribute(group string, a slog.Attr) string {
	return " " + group + a.Key + "=" + a.Value.Resolve().String()
}
