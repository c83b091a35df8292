package telemetry

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A call is one whose span is open.
type call struct {
	span     trace.Span
	observed bool // its observer ends the span

	mu  sync.Mutex
	run trace.Span // of the process of its script; nil: none runs
}

// Stage returns the stage that begins a span for each call, in the trace that its _meta names, or else the headers of
// its HTTP request. What runs for the call is told of the span in _meta. Its place is behind the stage that splits
// batches.
func (t *Telemetry) Stage() pipeline.Middleware {
	return pipeline.Middleware{
		Name: "telemetry",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			if m.Kind() != pipeline.Call || m.Method() == "ping" {
				return next(ctx, m)
			}
			from := mcp.TraceOf(pipeline.Member(m.Params(), "_meta"))
			if from.Parent == "" {
				from = mcp.CallerOf(ctx).Trace
			}
			c, turn := &call{}, pipeline.Turn(ctx)
			ctx, c.span = t.start(ctx, from, m.Method(), trace.SpanKindServer,
				attribute.String("rpc.system", "jsonrpc"), attribute.String("mcp.method.name", m.Method()),
				attribute.String("jsonrpc.request.id", m.ID().String()))
			t.calls.Store(turn, c)
			defer t.calls.Delete(turn)
			answer, err := next(ctx, within(m, c.span))
			if !c.observed {
				end(c.span, err)
			}
			return answer, err
		},
	}
}

// start starts a span in a trace; without a parent the trace begins with it.
func (t *Telemetry) start(
	ctx context.Context, from mcp.Trace, name string, kind trace.SpanKind, about ...attribute.KeyValue,
) (context.Context, trace.Span) {
	carrier := propagation.MapCarrier{"traceparent": from.Parent, "tracestate": from.State}
	ctx = propagation.TraceContext{}.Extract(ctx, carrier)
	return t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(about...))
}

// inside returns _meta with the span as the parent of what is done for it.
func inside(meta json.RawMessage, span trace.Span) json.RawMessage {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), span), carrier)
	for name, value := range carrier {
		with, err := pipeline.SetMember(meta, name, value)
		if err != nil { // not an object, and refused as such
			return meta
		}
		meta = with
	}
	return meta
}

func within(m *pipeline.Message, span trace.Span) *pipeline.Message {
	if m.Params() == nil {
		return m
	}
	params, err := pipeline.SetMember(m.Params(), "_meta", inside(pipeline.Member(m.Params(), "_meta"), span))
	if err != nil {
		return m
	}
	with, err := m.WithParams(params)
	if err != nil {
		return m
	}
	return with
}

// Observe is a [middleware.CallObserver], which ends the span of a call when its answer has left.
func (t *Telemetry) Observe(d pipeline.Dialect) middleware.CallObserver {
	return func(ctx context.Context, m *pipeline.Message) func(middleware.CallEnd) {
		found, ok := t.calls.Load(pipeline.Turn(ctx))
		if !ok {
			return nil
		}
		c := found.(*call)
		c.observed = true
		if about := middleware.Subject(d, m); about != "" {
			c.span.SetName(m.Method() + " " + about)
		}
		if id := mcp.CallerOf(ctx).Session; id != "" {
			c.span.SetAttributes(attribute.String("mcp.session.id", id))
		}
		return func(e middleware.CallEnd) {
			c.span.SetAttributes(attribute.String("mcp.outcome", e.Outcome))
			if e.Failed() {
				c.span.SetStatus(codes.Error, e.Reason)
			}
			c.span.End()
		}
	}
}

func end(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// noticed is from when on a stage's time is a span of its own.
const noticed = 100 * time.Microsecond

// Step is a [pipeline.Tracer]: of what stages say of a call it makes spans within that of the call: of the wait for a
// slot or a worker, of the interceptors, and of the process of its script.
func (t *Telemetry) Step(s pipeline.Step) {
	found, ok := t.calls.Load(s.Turn)
	if !ok || s.Out {
		return
	}
	c := found.(*call)
	switch {
	case s.Verdict == pipeline.VerdictNoted && s.Stage == "interceptors":
		for _, note := range s.Notes {
			c.span.AddEvent("interceptor", trace.WithAttributes(attribute.String("mcp.interceptor.name", note.Value.String()),
				attribute.String("mcp.interceptor.outcome", note.Key)))
		}
	case s.Stage == "interceptors" && s.Verdict != pipeline.VerdictEntered && s.Took >= noticed:
		t.within(c, "interceptors", s.At).End(trace.WithTimestamp(s.At.Add(s.Took)))
	case s.Verdict == pipeline.VerdictNoted:
		t.noted(c, s.Notes)
	}
}

// within begins a span within that of a call.
func (t *Telemetry) within(c *call, name string, at time.Time) trace.Span {
	_, span := t.tracer.Start(trace.ContextWithSpan(context.Background(), c.span), name, trace.WithTimestamp(at))
	return span
}

// noted makes spans of what was said of a call.
func (t *Telemetry) noted(c *call, notes []slog.Attr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, note := range notes {
		switch note.Key {
		case "slot after":
			t.within(c, "wait", time.Now().Add(-note.Value.Duration())).End()
		case "worker":
			c.span.SetAttributes(attribute.String("mcp.worker", note.Value.String()))
		case "pid":
			c.run = t.within(c, "run", time.Now())
			c.run.SetAttributes(attribute.String("process.pid", note.Value.String()))
		case "exit":
			if c.run != nil {
				c.run.SetAttributes(attribute.String("process.exit.code", note.Value.String()))
				c.run.End()
				c.run = nil
			}
		}
	}
}

// A Runner runs calls of other servers with a span for each, within that of the server that has sent it, and one within
// that for the process of its script, where the server that runs it has a trace.
type Runner struct {
	handlers.Runner
	Telemetry *Telemetry
}

// Call implements [handlers.Runner].
func (r Runner) Call(ctx context.Context, c handlers.ToolCall) (*mcp.CallToolResult, error) {
	ctx, span := r.Telemetry.start(ctx, mcp.TraceOf(c.Meta), "run "+c.Tool.Name, trace.SpanKindConsumer)
	c.Meta = inside(c.Meta, span)
	of := &call{span: span}
	ctx = pipeline.Noting(ctx, func(s pipeline.Step) { r.Telemetry.noted(of, s.Notes) })
	result, err := r.Runner.Call(ctx, c)
	if err == nil && result.IsError {
		span.SetStatus(codes.Error, "the tool has failed")
	}
	end(span, err)
	return result, err
}
