package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// maxListens is how many streams of changes may be open at once (SL-12).
const maxListens = 64

// maxWatched is how many resources a stream may watch, and how many tasks. Further ones are not
// accepted.
const maxWatched = 1024

// maxFilter is how many bytes the params of a stream may have: they are kept as
// long as it is open.
const maxFilter = 512 << 10

// Listens are the open streams of changes that clients of stateless revisions
// have asked for, one for each subscriptions/listen that is not answered yet.
// They may be used by several goroutines.
type Listens struct {
	// Offers is the capabilities of the server: which changes it can report.
	Offers mcp.ServerCapabilities
	// Ready waits until changes are noticed, until ctx ends at the latest. Nil: they already are.
	Ready func(ctx context.Context)
	// Watch calls changed when a resource has changed, until release is called. Nil: the server has none.
	Watch func(ctx context.Context, uri string, changed func()) (release func(), err error)
	// Task reports whether a task of that id exists. Nil: there are none.
	Task func(ctx context.Context, id string) bool
	Log  *slog.Logger

	mu   sync.Mutex
	open []*listen // in the order in which they were asked for
}

// A listen is one stream.
type listen struct {
	context context.Context // of its call: what it causes ends with it
	id      json.RawMessage
	filter  mcp.ListenFilter
	begun   bool // it was acknowledged
}

// Listen answers subscriptions/listen when the stream ends: with the end of the
// server, or never where the client cancels it (SL-06, SL-07). It waits without
// a worker.
func (l *Listens) Listen(ctx context.Context, id json.RawMessage, p mcp.ListenParams) (result mcp.Empty, err error) {
	if p.Notifications == nil {
		return result, fmt.Errorf("%w: /notifications is missing: it names the changes to report", pipeline.ErrInvalidParams)
	}
	if len(p.Notifications.Tasks) > 0 && !mcp.ClaimOf(ctx).Has("tasks") {
		return result, mcp.ErrMissingCapability(tasksCapability) // SL-13
	}
	stream := &listen{context: ctx, id: id}
	if err := l.enter(stream); err != nil {
		return result, err
	}
	defer l.end(stream)
	pipeline.Yield(ctx) // watching resources may take long
	if l.Ready != nil {
		l.Ready(ctx)
	}
	var release []func()
	stream.filter, release = l.accept(stream, *p.Notifications)
	defer func() {
		for _, r := range release {
			r()
		}
	}()
	l.begin(stream)
	select {
	case <-pipeline.From(ctx).Ending():
	case <-ctx.Done():
	}
	// under the call's context, so a client that has cancelled it gets nothing
	pipeline.Afterwards(ctx, func(context.Context) {
		l.send(ctx, "notifications/cancelled", map[string]any{"requestId": id, "reason": "the server ends"}) // SL-07
	})
	result.SetMeta(mcp.KeySubscription, id)
	return result, nil
}

// accept returns the part of a filter that the server can report (SL-03), and the functions that
// end the watching of resources.
func (l *Listens) accept(s *listen, asked mcp.ListenFilter) (f mcp.ListenFilter, release []func()) {
	ctx := s.context
	f.Tools = asked.Tools && l.Offers.Tools != nil && l.Offers.Tools.ListChanged
	f.Prompts = asked.Prompts && l.Offers.Prompts != nil && l.Offers.Prompts.ListChanged
	f.Resources = asked.Resources && l.Offers.Resources != nil && l.Offers.Resources.ListChanged
	for uri := range unique(asked.URIs) {
		if l.Watch == nil || ctx.Err() != nil {
			break
		}
		done, err := l.Watch(ctx, uri, func() { l.updated(s, uri) })
		if err != nil {
			l.Log.Debug("cannot watch a resource", "uri", uri, "error", err)
			continue
		}
		f.URIs = append(f.URIs, uri)
		release = append(release, done)
	}
	for id := range unique(asked.Tasks) {
		if l.Task != nil && l.Task(ctx, id) {
			f.Tasks = append(f.Tasks, id)
		}
	}
	return f, release
}

// unique returns the names that a client wants to watch, without duplicates, in their order, up to
// maxWatched.
func unique(names []string) iter.Seq[string] {
	return func(visit func(string) bool) {
		seen := make(map[string]bool)
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			if len(seen) > maxWatched || !visit(name) {
				return
			}
		}
	}
}

// enter adds a stream to the open ones, if there is room for it: a refused stream costs nothing
// (SL-12).
func (l *Listens) enter(s *listen) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(o *listen) bool { return o.context.Err() != nil }) // it is about to end
	if len(l.open) >= maxListens {
		return fmt.Errorf("%w: %d streams of changes are open; end one first", pipeline.ErrInternal, maxListens)
	}
	l.open = append(l.open, s)
	return nil
}

// begin acknowledges a stream. Nothing is sent on it before (SL-01).
func (l *Listens) begin(s *listen) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.send(s.context, "notifications/subscriptions/acknowledged",
		mcp.AcknowledgedParams{OfSubscription: mcp.Listened(s.id), Notifications: s.filter})
	s.begun = true
}

func (l *Listens) end(s *listen) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.begun = false
	l.open = slices.DeleteFunc(l.open, func(o *listen) bool { return o == s })
}

// A Change is a list that has changed.
type Change uint8

const (
	ToolsChanged Change = iota
	PromptsChanged
	ResourcesChanged
)

// Method returns the notification that reports a change.
func (c Change) Method() string {
	return [...]string{"notifications/tools/list_changed", "notifications/prompts/list_changed",
		"notifications/resources/list_changed"}[c]
}

// Changed reports to every stream that asked for it that a list has changed.
func (l *Listens) Changed(c Change) {
	l.each(func(f mcp.ListenFilter) bool { return [...]bool{f.Tools, f.Prompts, f.Resources}[c] }, func(s *listen) {
		l.send(s.context, c.Method(), mcp.Listened(s.id))
	})
}

// updated reports on a stream that a resource has changed (SL-11).
func (l *Listens) updated(s *listen, uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.begun {
		l.send(s.context, "notifications/resources/updated", struct {
			mcp.OfSubscription
			URI string `json:"uri"`
		}{mcp.Listened(s.id), uri})
	}
}

// TaskChanged reports the status of a task to every stream that watches it (TX-15).
func (l *Listens) TaskChanged(t mcp.TaskResult) {
	l.each(func(f mcp.ListenFilter) bool { return slices.Contains(f.Tasks, t.TaskID) }, func(s *listen) {
		t.Meta = maps.Clone(t.Meta)
		t.SetMeta(mcp.KeySubscription, s.id)
		l.send(s.context, "notifications/tasks", t)
	})
}

// Watches reports whether a stream watches a task.
func (l *Listens) Watches(task string) (watches bool) {
	l.each(func(f mcp.ListenFilter) bool { return slices.Contains(f.Tasks, task) }, func(*listen) { watches = true })
	return watches
}

// each visits the streams that have begun and match, in their order (SL-05).
func (l *Listens) each(wants func(mcp.ListenFilter) bool, visit func(*listen)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.open {
		if s.begun && wants(s.filter) {
			visit(s)
		}
	}
}

func (l *Listens) send(ctx context.Context, method string, params any) {
	if err := pipeline.From(ctx).Notify(ctx, method, params); err != nil {
		l.Log.Debug("change not reported", "method", method, "error", err)
	}
}
