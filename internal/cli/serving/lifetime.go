package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A Lifetime logs the start and the end of a server:
//
//	level=INFO msg=serving version=2.0.0 project=/home/me/tools tools=3 resources=0 templates=0 prompts=1 took=12ms
//	level=INFO msg=ended reason="end of input" after=1m3s
//
// The first line says so if a list has more than one page, as some clients read no other. It is logged after the
// project has been read for the first time; clients do not wait for that.
type Lifetime struct {
	log    *slog.Logger
	began  time.Time
	first  sync.Once
	last   sync.Once
	reason error // why the session has ended
}

// NewLifetime begins a lifetime now.
func NewLifetime(log *slog.Logger) *Lifetime { return &Lifetime{log: log, began: time.Now()} }

// Looked logs the start, after the project was read.
func (l *Lifetime) Looked(o server.Offer) {
	offered := []slog.Attr{
		slog.Int("tools", o.Tools),
		slog.Int("resources", o.Resources),
		slog.Int("templates", o.Templates),
		slog.Int("prompts", o.Prompts),
	}
	if o.Broken > 0 {
		offered = append(offered, slog.Int("broken", o.Broken))
	}
	if most := max(o.Tools, o.Resources, o.Templates, o.Prompts); most > o.Page {
		offered = append(offered, slog.String("pages",
			fmt.Sprintf("some clients read the first %d of a list only; MCPBASH_PAGE_SIZE=%d shows them all (at most %d)",
				o.Page, most, catalog.MaxPageSize)))
	}
	l.start(o.Project, append(offered, slog.Duration("took", time.Since(l.began).Round(100*time.Microsecond)))...)
}

func (l *Lifetime) start(project string, offered ...slog.Attr) {
	l.first.Do(func() {
		attrs := append([]slog.Attr{slog.String("version", server.Version), slog.String("project", project)}, offered...)
		l.log.LogAttrs(context.Background(), slog.LevelInfo, "serving", attrs...)
	})
}

// Ended records why the session has ended.
func (l *Lifetime) Ended(why error) { l.reason = why }

// Closed logs the end of a server that has been closed. ctx is the context that ends it early, and
// project the folder it served, in case it ended before it had read the project.
func (l *Lifetime) Closed(ctx context.Context, project string) {
	l.start(project)
	reason := l.reason
	if early := context.Cause(ctx); early != nil {
		reason = early
	}
	l.LogEnd(reason)
}

// LogEnd logs the end, once.
func (l *Lifetime) LogEnd(why error) {
	level := slog.LevelInfo
	if Failure(why) != nil {
		level = slog.LevelError
	}
	l.last.Do(func() {
		l.log.LogAttrs(context.Background(), level, "ended",
			slog.String("reason", reasonFor(why)),
			slog.Duration("after", time.Since(l.began).Round(time.Millisecond)))
	})
}

// reasonFor describes why a server has ended.
func reasonFor(why error) string {
	switch {
	case why == nil, why == pipeline.Stopped:
		return "closed"
	case why == pipeline.Finished:
		return "exit"
	case errors.Is(why, middleware.ErrTripped):
		return "corrupt output"
	case clientIsGone(why):
		return ErrUnread.Error()
	}
	return strings.TrimSpace(why.Error())
}
