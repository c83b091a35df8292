package main

import (
	"context"
	"log/slog"

	"github.com/mcp-bash/mcp-bash/handlers"
	"github.com/mcp-bash/mcp-bash/internal/project"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// keepUp tells clients which lists and watched resources have changed, until ctx
// ends: the session, and the streams of those without one.
func keepUp(ctx context.Context, p *project.Project, s *handlers.Subscriptions, l *handlers.Listens, server *pipeline.Pipeline, log *slog.Logger) {
	tell := func(method string, params any) {
		if err := server.Notify(ctx, method, params); err != nil {
			log.Debug("change not told", "method", method, "error", err)
		}
	}
	s.Updated = func(uri string, subscribed bool) {
		if subscribed {
			tell("notifications/resources/updated", map[string]string{"uri": uri})
		}
		l.Updated(uri)
	}
	go s.Run(ctx)
	go p.Watch(ctx, func(changed project.Kinds) {
		for _, c := range []struct {
			kinds  project.Kinds
			change handlers.Change
		}{
			{project.Tools, handlers.ToolsChanged},
			{project.Resources | project.Templates, handlers.ResourcesChanged},
			{project.Prompts, handlers.PromptsChanged},
		} {
			if changed.Has(c.kinds) {
				tell(c.change.Method(), nil)
				l.Changed(c.change)
			}
		}
		if changed.Has(project.Resources | project.Templates) {
			s.Look()
		}
	})
}
