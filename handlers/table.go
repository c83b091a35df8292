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

// Table lists every method that the server answers.
func Table(l Lifecycle, g Logging, r Roots, t Tools) []Method {
	return []Method{
		{Name: "initialize", Handle: pipeline.Method(l.Initialize)},
		{Name: "notifications/initialized", Handle: pipeline.Method(l.Initialized)},
		{Name: "ping", Handle: Ping},
		{Name: "shutdown", Handle: pipeline.Method(l.Shutdown)},
		{Name: "logging/setLevel", Handle: pipeline.Method(g.SetLevel)},
		{Name: "notifications/roots/list_changed", Handle: pipeline.Method(r.Changed)},
		{Name: "tools/list", Slow: true, Handle: pipeline.Method(t.List)},
		{Name: "tools/call", Slow: true, Handle: pipeline.Method(t.Call)},
	}
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
