package main

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/telemetry"
	"github.com/mcp-bash/mcp-bash/v2/internal/natscluster/calls"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// startTelemetry starts what the variables of OpenTelemetry ask for. When close is called, as ctx is done, what was not
// sent yet has what is left of the grace, of which it needs a few seconds at most.
func (o options) startTelemetry(
	ctx context.Context, environ []string, counted *metrics.Metrics, log *slog.Logger,
) (t *telemetry.Telemetry, close func(), err error) {
	name := "mcp-http"
	if o.worker {
		name = "mcp-http-worker"
	}
	service := telemetry.Service{Name: name, Version: server.Version, Instance: cmp.Or(o.replicaName(), name)}
	t, err = telemetry.Start(ctx, operator.Map(environ), service, counted.Gatherer(), log)
	over := sync.OnceValue(func() time.Time { return time.Now().Add(o.grace) })
	context.AfterFunc(ctx, func() { over() })
	return t, func() { t.Close(min(max(time.Until(over()), lastWords), 5*time.Second)) }, err
}

// observe has spans made of the calls of a server.
func (o options) observe(to *server.Options) {
	if !o.telemetry.Traces() {
		return
	}
	chain := to.Chain
	to.Trace = tracers(to.Trace, o.telemetry.Step)
	to.Chain = func(stages []pipeline.Middleware) []pipeline.Middleware {
		return chain(pipeline.After(stages, "batch", o.telemetry.Stage()))
	}
	to.Observe = middleware.Observers(to.Observe, o.telemetry.Observe(pipeline.MCP))
}

// tracers returns a tracer that calls several; nil ones are left out.
func tracers(all ...pipeline.Tracer) pipeline.Tracer {
	all = slices.DeleteFunc(all, func(t pipeline.Tracer) bool { return t == nil })
	if len(all) < 2 {
		return append(all, nil)[0]
	}
	return func(s pipeline.Step) {
		for _, t := range all {
			t(s)
		}
	}
}

// observed returns the server that runs the calls of a worker, with a span for each.
func (o options) observed(srv calls.Host) calls.Host {
	if !o.telemetry.Traces() {
		return srv
	}
	return observedHost{srv, telemetry.Runner{Runner: srv, Telemetry: o.telemetry}}
}

type observedHost struct {
	calls.Host
	runner telemetry.Runner
}

// Call implements [handlers.Runner].
func (h observedHost) Call(ctx context.Context, c handlers.ToolCall) (*mcp.CallToolResult, error) {
	return h.runner.Call(ctx, c)
}
