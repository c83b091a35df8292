package server

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// watch begins to watch the project for all sessions, until the server is closed.
func (p *served) watch() {
	s := p.server
	s.goes(func() { p.watcher.Run(s.context) })
	p.baseline.expect()
	changed := func(lists project.Kinds) {
		s.each(func(one *session) { one.notices.changed(lists) })
		if lists.Has(project.Resources | project.Templates) {
			p.watcher.Look()
		}
	}
	s.rounds.Tasks.Changed = func(t mcp.TaskResult) {
		s.each(func(one *session) { one.notices.task(t) })
	}
	s.goes(func() {
		p.Watch(s.context, func() {
			if p.baseline.take() {
				changed(project.Tools | project.Resources | project.Templates | project.Prompts)
			}
		}, changed)
	})
}
