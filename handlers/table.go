package handlers

import (
	"context"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Method is a row of the table of all methods: everything that applies to a method as a whole.
// Stages that treat methods differently are given the values of this table where the chain is
// listed; there is no other list of methods.
type Method struct {
	Name   string
	Handle pipeline.Handler

	// Slow methods run scripts, or wait for another program: their handlers ask for a slot with
	// [pipeline.Work] first. All other methods never wait for a slot.
	Slow bool
	// Looks reports whether the handler looks at files. It does so in the turn of its message, but
	// delays later messages for no longer than a moment. Slow methods look too.
	Looks bool
	// Limit is how long a call may take, not counting the time until it has a slot; 0 means no limit.
	// Scripts have limits of their own, which report what happened and stop counting while the
	// client is asked.
	Limit time.Duration
	// Cache is who may cache results; "": results have no such member (CA-01, CA-02).
	Cache mcp.CacheScope
	// Era is the revisions that have the method.
	Era Era
	// Minimal methods are served in minimal mode too, see [Minimal].
	Minimal bool
	// Counted methods count towards the limit of calls per minute.
	Counted bool
	// Early methods are served before the session is ready.
	Early bool
}

// An Era is a set of revisions.
type Era uint8

const (
	EveryRevision  Era = iota
	WithSession        // those that are opened by initialize
	WithoutSession     // those whose requests bring their own claim
)

// Has reports whether a revision belongs to the era.
func (e Era) Has(r *mcp.Revision) bool {
	return e == EveryRevision || (e == WithoutSession) == r.Stateless
}

// Families are the groups of methods. A nil family is not offered, and its methods do not exist
// (C-02).
type Families struct {
	Envelope   Envelope
	Lifecycle  Lifecycle
	Logging    Logging
	Roots      Roots
	Tools      Tools
	Resources  *Resources
	Prompts    *Prompts
	Completion *Completion
	Tasks      *Tasks
	Listens    *Listens

	minimal bool // see Minimal
}

// minute is the usual limit of methods that are quick.
const minute = time.Minute

// Table lists every method that the server answers.
func Table(f Families) *Methods {
	e, l, g, r, t := f.Envelope, f.Lifecycle, f.Logging, f.Roots, f.Tools
	table := []Method{
		requireParams(method(e, Method{Name: "initialize", Era: WithSession, Minimal: true, Early: true}, l.Initialize)),
		method(e, Method{Name: "notifications/initialized", Era: WithSession, Minimal: true}, l.Initialized),
		{Name: "ping", Era: WithSession, Minimal: true, Early: true, Handle: Ping},
		method(e, Method{Name: "shutdown", Era: WithSession, Minimal: true, Early: true}, l.Shutdown),
		{Name: "exit", Era: WithSession, Minimal: true, Early: true, Handle: exit},
		method(e, Method{Name: "server/discover", Looks: true, Cache: mcp.Public, Era: WithoutSession, Minimal: true,
			Counted: true}, l.Discover),
		{Name: "subscriptions/listen", Era: WithoutSession, Minimal: true, Counted: true, Handle: listening(e, f.Listens)},
		method(e, Method{Name: "logging/setLevel", Era: WithSession, Minimal: true, Counted: true}, g.SetLevel),
		method(e, Method{Name: "notifications/roots/list_changed", Minimal: true}, r.Changed),
		method(e, Method{Name: "tools/list", Looks: true, Limit: minute, Cache: mcp.Public, Counted: true}, t.List),
		asking(e, Method{Name: "tools/call", Slow: true, Counted: true}, t.Call),
	}
	if o := f.Resources; o != nil {
		table = append(table,
			method(e, Method{Name: "resources/list", Looks: true, Limit: minute, Cache: mcp.Public, Counted: true}, o.List),
			method(e, Method{Name: "resources/templates/list", Looks: true, Limit: minute, Cache: mcp.Public, Counted: true},
				o.Templates),
			method(e, Method{Name: "resources/read", Slow: true, Limit: minute, Cache: mcp.Private, Counted: true}, o.ReadOne),
			method(e, Method{Name: "resources/subscribe", Slow: true, Limit: minute, Era: WithSession, Counted: true},
				o.Subscribe),
			method(e, Method{Name: "resources/unsubscribe", Looks: true, Limit: minute, Era: WithSession, Counted: true},
				o.Unsubscribe),
		)
	}
	if o := f.Prompts; o != nil {
		table = append(table,
			method(e, Method{Name: "prompts/list", Looks: true, Limit: minute, Cache: mcp.Public, Counted: true}, o.List),
			asking(e, Method{Name: "prompts/get", Slow: true, Counted: true}, o.Get),
		)
	}
	if o := f.Tasks; o != nil {
		table = append(table,
			method(e, Method{Name: "tasks/get", Era: WithoutSession, Counted: true}, o.Get),
			method(e, Method{Name: "tasks/update", Era: WithoutSession, Counted: true}, o.Update),
			method(e, Method{Name: "tasks/cancel", Era: WithoutSession, Counted: true}, o.Cancel),
		)
	}
	if o := f.Completion; o != nil {
		table = append(table, method(e, Method{Name: "completion/complete", Slow: true, Limit: minute, Counted: true},
			o.Complete))
	}
	for i, m := range table {
		if f.minimal {
			m = m.inMinimalMode()
		}
		m.Handle = m.checkKind(m.Handle)
		table[i] = m
	}
	return NewMethods(table...)
}

// IsMCP reports whether Table lists a method, for a server that offers all families.
func IsMCP(method string) bool {
	all := Table(Families{Resources: &Resources{}, Prompts: &Prompts{}, Completion: &Completion{}, Tasks: &Tasks{}})
	return all.row(method) != unlisted
}

// Ping answers ping (PI-01). It ignores its params, but they must be an object (J-16).
func Ping(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	if _, err := paramsOf[noParams](m); err != nil {
		return nil, err
	}
	return m.Answer(nil)
}

// exit handles exit before shutdown, which the stage of the lifecycle passes on.
func exit(context.Context, *pipeline.Message) (*pipeline.Message, error) {
	return nil, pipeline.Errorf(mcp.CodeNotShuttingDown, "Shutdown not requested")
}

// noParams are the params of methods without params of their own.
type noParams struct{ mcp.Params }
