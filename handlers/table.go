package handlers

import (
	"context"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Method is a row of the table of all methods.
type Method struct {
	Name   string
	Slow   bool // it may take long, so it works beside others
	Handle pipeline.Handler
}

// Families are what answers the methods. A nil one is not offered, and its
// methods are not there (C-02).
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

// Table lists every method that the server answers. Which of them a revision
// has is for [mcp.Revision.Knows] to say.
func Table(f Families) []Method {
	e, l, g, r, t := f.Envelope, f.Lifecycle, f.Logging, f.Roots, f.Tools
	table := []Method{
		method(e, "initialize", l.Initialize),
		method(e, "notifications/initialized", l.Initialized),
		{Name: "ping", Handle: Ping},
		method(e, "shutdown", l.Shutdown),
		method(e, "server/discover", l.Discover),
		{Name: "subscriptions/listen", Handle: listening(e, f.Listens)},
		method(e, "logging/setLevel", g.SetLevel),
		method(e, "notifications/roots/list_changed", r.Changed),
		method(e, "tools/list", t.List),
		asking(e, "tools/call", t.Call),
	}
	if o := f.Resources; o != nil {
		table = append(table,
			method(e, "resources/list", o.List),
			method(e, "resources/templates/list", o.Templates),
			method(e, "resources/read", o.ReadOne),
			method(e, "resources/subscribe", o.Subscribe),
			method(e, "resources/unsubscribe", o.Unsubscribe),
		)
	}
	if o := f.Prompts; o != nil {
		table = append(table,
			method(e, "prompts/list", o.List),
			asking(e, "prompts/get", o.Get),
		)
	}
	if o := f.Tasks; o != nil {
		table = append(table,
			method(e, "tasks/get", o.Get),
			method(e, "tasks/update", o.Update),
			method(e, "tasks/cancel", o.Cancel),
		)
	}
	if o := f.Completion; o != nil {
		table = append(table, method(e, "completion/complete", o.Complete))
	}
	if f.minimal {
		for i, m := range table {
			table[i] = unavailable(m)
		}
	}
	return table
}

// Ping answers ping (PI-01). It reads no params, but they are an object (J-16).
func Ping(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	if err := m.Decode(&noParams{}); err != nil {
		return nil, err
	}
	return m.Answer(nil)
}

// noParams are the params of methods that need none.
type noParams struct{}
