package handlers

import (
	"context"

	"github.com/mcp-bash/mcp-bash/pipeline"
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
	Lifecycle  Lifecycle
	Logging    Logging
	Roots      Roots
	Tools      Tools
	Resources  *Resources
	Prompts    *Prompts
	Completion *Completion
}

// Table lists every method that the server answers.
func Table(f Families) []Method {
	l, g, r, t := f.Lifecycle, f.Logging, f.Roots, f.Tools
	table := []Method{
		{Name: "initialize", Handle: pipeline.Method(l.Initialize)},
		{Name: "notifications/initialized", Handle: pipeline.Method(l.Initialized)},
		{Name: "ping", Handle: Ping},
		{Name: "shutdown", Handle: pipeline.Method(l.Shutdown)},
		{Name: "logging/setLevel", Handle: pipeline.Method(g.SetLevel)},
		{Name: "notifications/roots/list_changed", Handle: pipeline.Method(r.Changed)},
		{Name: "tools/list", Slow: true, Handle: pipeline.Method(t.List)},
		{Name: "tools/call", Slow: true, Handle: pipeline.Method(t.Call)},
	}
	if o := f.Resources; o != nil {
		table = append(table,
			Method{Name: "resources/list", Slow: true, Handle: pipeline.Method(o.List)},
			Method{Name: "resources/templates/list", Slow: true, Handle: pipeline.Method(o.Templates)},
			Method{Name: "resources/read", Slow: true, Handle: pipeline.Method(o.ReadOne)},
			Method{Name: "resources/subscribe", Slow: true, Handle: pipeline.Method(o.Subscribe)},
			Method{Name: "resources/unsubscribe", Slow: true, Handle: pipeline.Method(o.Unsubscribe)},
		)
	}
	if o := f.Prompts; o != nil {
		table = append(table,
			Method{Name: "prompts/list", Slow: true, Handle: pipeline.Method(o.List)},
			Method{Name: "prompts/get", Slow: true, Handle: pipeline.Method(o.Get)},
		)
	}
	if o := f.Completion; o != nil {
		table = append(table, Method{Name: "completion/complete", Slow: true, Handle: pipeline.Method(o.Complete)})
	}
	return table
}

// Ping answers ping (PI-01). It reads no params, but they are an object (J-16).
func Ping(_ context.Context, m *pipeline.Message) (*pipeline.Message, error) {
	if err := m.Decode(&empty{}); err != nil {
		return nil, err
	}
	return m.Answer(nil)
}

// empty is the answer of methods that have nothing to say.
type empty struct{}
