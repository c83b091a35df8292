package main

import (
	"cmp"
	"context"
	"log/slog"

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

func (o options) startTelemetry(ctx context.Context, environ []string, counted *metrics.Metrics, log *slog.Logger) (
	*telemetry.Telemetry, error) {
	name := "mcp-http"
	if o.worker {
		name = "mcp-http-worker"
	}
	service := telemetry.Service{Name: name, Version: server.Version, Instance: cmp.Or(o.replicaName(), name)}
	return telemetry.Start(ctx, operator.Map(environ), service, counted.Gatherer(), log)
}

// observe has spans made of the calls of a server.
func (o options) observe(to *server.Options) {
	if o.telemetry == nil {
		return
	}
	recorded, chain := to.Trace, to.Chain
	to.Trace = func(s pipeline.Step) {
		if recorded != nil {
			recorded(s)
		}
		o.telemetry.Step(s)
	}
	to.Chain = func(stages []pipeline.Middleware) []pipeline.Middleware {
		return chain(pipeline.After(stages, "batch", o.telemetry.Stage()))
	}
	to.Observe = middleware.Observers(to.Observe, o.telemetry.Observe(pipeline.MCP))
}

// observed returns the server that runs the calls of a worker, with a span for each.
func (o options) observed(srv calls.Host) calls.Host {
	if o.telemetry == nil {
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
