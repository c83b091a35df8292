package server

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A session serves one client. It holds the state of that client: what was agreed on, its rate
// limits, subscriptions and running calls.
type session struct {
	server    *Server
	agreed    *mcp.Session
	confirmed chan struct{} // closed when the client may be sent notifications
	families  handlers.Families
	notices   notices
	pipeline  *pipeline.Pipeline
}

// newSession returns a session that serves a stream.
func (s *Server) newSession(stream jsonrpc2.ObjectStream) *session {
	sess := &session{server: s, agreed: &mcp.Session{}, confirmed: make(chan struct{})}
	sess.notices.session = sess
	sess.families = handlers.Families{
		Logging: handlers.Logging{Session: sess.agreed, Log: s.log},
	}
	if s.project != nil {
		s.project.session(sess)
	} else {
		s.gettingStarted(sess)
	}
	if s.options.Minimal {
		sess.families = handlers.Minimal(sess.families)
	}
	methods := handlers.Table(sess.families)
	if p := s.project; p != nil && p.lends() && !s.options.Minimal {
		for name, handle := range interceptor.Methods(s.interceptors) {
			methods.Add(handlers.Method{Name: name, Handle: handle, Slow: true, Counted: true})
		}
	}
	for name, handle := range s.options.Methods {
		methods.Add(handlers.Method{Name: name, Handle: handle, Slow: true, Counted: true})
	}
	sess.pipeline = pipeline.New(stream, sess.chain(methods), s.beginOnRequest(methods.Serve), pipeline.Options{
		Abandon: func(ctx context.Context, id pipeline.ID, cause error) {
			handlers.Abandon(ctx, sess.pipeline, id, cause)
		},
		BeforeClose: sess.notices.send,
		Trace:       s.options.Trace,
		Log:         s.log,
	})
	return sess
}

// serve serves the client, and returns when nothing that was started for it runs any more, or with
// [pipeline.ErrStuck] if something is stuck.
func (s *session) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { s.notices.run(ctx) })
	if watched := s.families.Resources; watched != nil && watched.Subscriptions != nil {
		background.Go(func() { watched.Subscriptions.Run(ctx) })
	}
	err := s.pipeline.Run(ctx)
	cancel()
	if !errors.Is(err, pipeline.ErrStuck) { // otherwise what is stuck may block these too
		background.Wait()
	}
	return err
}

// session fills in what the project offers.
func (p *served) session(s *session) {
	o, log := p.server.options, p.server.log
	known := &roots.Roots{
		Fallback: p.roots,
		Ask:      handlers.AskRoots(s.agreed),
		Patience: o.Limits.RootsTimeout,
		Log:      log,
	}
	call := p.runtime.Call
	if o.Runner != nil {
		call = p.remoteCall(o.Runner)
	}
	if o.Collected {
		call = collect(call)
	}
	offered := capabilities()
	if p.lends() {
		offered.Extensions[interceptor.Extension] = json.RawMessage("{}")
		offered.Experimental = map[string]json.RawMessage{interceptor.Extension: json.RawMessage("{}")}
	}
	subscriptions := &handlers.Subscriptions{
		Watcher: watching{p},
		Log:     log,
		Updated: func(uri string) {
			s.notices.notify(s.server.context, "notifications/resources/updated", map[string]string{"uri": uri})
		},
	}
	listens := &handlers.Listens{
		Offers: offered,
		Ready:  p.diagnostics.wait,
		Watch:  subscriptions.Watch,
		Task:   p.server.rounds.Tasks.Has,
		Log:    log,
	}
	f := &s.families
	f.Envelope = handlers.Envelope{Server: cachedIdentity(p.Project), TTL: listTTL(o), Memory: p.server.memory}
	f.Lifecycle = handlers.Lifecycle{
		Session: s.agreed,
		Offers:  offered,
		Server:  p.identity(),
		Ready:   func() { close(s.confirmed) },
		Log:     log,
	}
	f.Roots = handlers.Roots{Known: known}
	f.Tools = handlers.Tools{
		Session:   s.agreed,
		Catalog:   p,
		Policy:    p.policy,
		Roots:     known,
		Run:       call,
		Elsewhere: o.Runner != nil,
		Gates:     p.server.gates,
		Rounds:    p.server.rounds,
		Logging:   f.Logging,
		Memory:    p.server.memory,
		PageSize:  o.Limits.Page,
		Pages:     p.pages,
	}
	f.Resources = &handlers.Resources{
		Session:       s.agreed,
		Catalog:       p,
		Read:          p.read,
		Listed:        withTool(p.policy),
		Subscriptions: subscriptions,
		PageSize:      o.Limits.Page,
		Pages:         p.pages,
	}
	f.Prompts = &handlers.Prompts{
		Session:  s.agreed,
		Catalog:  p,
		Render:   run.Renderer{Run: p.runtime.Prompt, Read: p.reader.firstContent}.Render,
		Rounds:   p.server.rounds,
		PageSize: o.Limits.Page,
		Pages:    p.pages,
	}
	f.Completion = &handlers.Completion{Session: s.agreed, Catalog: p, Run: p.runtime.Completion}
	f.Tasks = p.server.rounds.Tasks
	f.Listens = listens
}

// capabilities returns the capabilities of a server with a project.
func capabilities() mcp.ServerCapabilities {
	return mcp.ServerCapabilities{
		Logging:     &struct{}{},
		Completions: &struct{}{},
		Prompts:     &mcp.ListChanged{ListChanged: true},
		Resources:   &mcp.Resources{Subscribe: true, ListChanged: true},
		Tools:       &mcp.ListChanged{ListChanged: true},
		Extensions: map[string]json.RawMessage{
			mcp.ExtensionTasks: json.RawMessage("{}"),
			mcp.ExtensionUI:    json.RawMessage(`{"mimeTypes":["` + mcp.UIMIMEType + `"]}`),
		},
	}
}
