package server

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// releaseMemory returns to the system the memory that reading the project for the first time took,
// and the lists that clients request when they connect: it is more than the server needs later, and
// an idle process would keep it.
func releaseMemory(ctx context.Context) {
	const connected = 2 * time.Second
	select {
	case <-ctx.Done():
	case <-time.After(connected):
		debug.FreeOSMemory()
	}
}

// watch starts watching the project for all sessions, until the server is closed.
func (p *served) watch() {
	s := p.server
	s.background.Go(func() { p.watcher.Run(s.context) })
	changed := func(lists catalog.Kinds) {
		s.log.Debug("the project has changed", "lists", lists)
		s.each(func(sess *session) { sess.notices.changed(lists) })
		if lists.Has(catalog.Resources | catalog.Templates) {
			p.watcher.Look()
		}
	}
	s.rounds.Tasks.Changed = func(t mcp.TaskResult) {
		s.each(func(sess *session) { sess.notices.task(t) })
	}
	run := p.Watch(func() {
		s.background.Go(func() { releaseMemory(s.context) })
		p.diagnostics.take()
		offer := p.diagnostics.offer()
		if s.options.Minimal {
			offer = Offer{Broken: offer.Broken}
		}
		s.looked(offer)
	}, changed, p.watcher.Changed)
	s.background.Go(func() { run(s.context) })
}

// watching lets a client watch what it may read.
type watching struct{ project *served }

// Watch implements [handlers.Watcher].
func (w watching) Watch(ctx context.Context, uri string, changed func(gone bool)) (release func(), err error) {
	if err := w.project.reader.withheld(ctx, uri); err != nil {
		return nil, providers.WireError(err, uri, mcp.CodeResourceNotFound)
	}
	return w.project.watcher.Watch(ctx, uri, changed)
}
