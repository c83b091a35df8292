package main

import (
	"context"
	"log/slog"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// An upkeep tells clients which lists and watched resources have changed: the
// session, and the streams of those without one.
type upkeep struct {
	project       *project.Project
	watcher       *watch.Watcher
	subscriptions *handlers.Subscriptions
	listens       *handlers.Listens
	baseline      *baseline
	confirmed     <-chan struct{} // closed when the session may be told something
	log           *slog.Logger
}

// begin begins to tell, until ctx ends. Wait returns when no resource is looked at
// any more, so that nothing is left of a script that provides one.
func (u upkeep) begin(ctx context.Context, server *pipeline.Pipeline) (wait func()) {
	tell := func(method string, params any) {
		if err := server.Notify(ctx, method, params); err != nil {
			u.log.Debug("change not told", "method", method, "error", err)
		}
	}
	u.subscriptions.Updated = func(uri string, subscribed bool) {
		if subscribed {
			tell("notifications/resources/updated", map[string]string{"uri": uri})
		}
		u.listens.Updated(uri)
	}
	var looking sync.WaitGroup
	looking.Go(func() { u.watcher.Run(ctx) })
	go u.subscriptions.Run(ctx)
	news := make(chan project.Kinds)
	go whenConfirmed(ctx, u.confirmed, news, func(changed project.Kinds) {
		for _, c := range changesOf(changed) {
			tell(c.Method(), nil)
		}
	})
	changed := func(lists project.Kinds) {
		for _, c := range changesOf(lists) {
			u.listens.Changed(c)
		}
		if lists.Has(project.Resources | project.Templates) {
			u.watcher.Look()
		}
		select {
		case news <- lists:
		case <-ctx.Done():
		}
	}
	u.baseline.expect()
	go u.project.Watch(ctx, func() {
		if u.baseline.take() {
			changed(project.Tools | project.Resources | project.Templates | project.Prompts)
		}
	}, changed)
	return looking.Wait
}

// whenConfirmed passes on which lists have changed, until ctx ends. What comes
// before the session is confirmed is kept until then.
func whenConfirmed(ctx context.Context, confirmed <-chan struct{}, news <-chan project.Kinds, tell func(project.Kinds)) {
	var kept project.Kinds
	ready := false
	for {
		select {
		case <-confirmed:
			confirmed, ready = nil, true
		case lists := <-news:
			kept |= lists
		case <-ctx.Done():
			return
		}
		if ready && kept != 0 {
			tell(kept)
			kept = 0
		}
	}
}

// changesOf are the changes that clients know of, in a fixed order.
func changesOf(lists project.Kinds) (changes []handlers.Change) {
	for _, c := range []struct {
		lists  project.Kinds
		change handlers.Change
	}{
		{project.Tools, handlers.ToolsChanged},
		{project.Resources | project.Templates, handlers.ResourcesChanged},
		{project.Prompts, handlers.PromptsChanged},
	} {
		if lists.Has(c.lists) {
			changes = append(changes, c.change)
		}
	}
	return changes
}
