package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
	figures "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/httpdtest"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// A collector receives what is sent by OTLP, from this process and those that it starts.
type collector struct {
	*httptest.Server

	mu      sync.Mutex
	spans   map[string]*trace.Span // the latest, by service and name
	figures map[string]bool        // the names of those that have come
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{spans: make(map[string]*trace.Span), figures: make(map[string]bool)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20") // milliseconds
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "50")
	return c
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	var sent traces.ExportTraceServiceRequest
	var measured figures.ExportMetricsServiceRequest
	switch {
	case r.URL.Path == "/v1/traces" && proto.Unmarshal(body, &sent) == nil:
		for _, of := range sent.ResourceSpans {
			service := ""
			for _, a := range of.Resource.Attributes {
				if a.Key == "service.name" {
					service = a.Value.GetStringValue()
				}
			}
			for _, scope := range of.ScopeSpans {
				for _, span := range scope.Spans {
					c.spans[service+" "+span.Name] = span
				}
			}
		}
	case r.URL.Path == "/v1/metrics" && proto.Unmarshal(body, &measured) == nil:
		for _, of := range measured.ResourceMetrics {
			for _, scope := range of.ScopeMetrics {
				for _, m := range scope.Metrics {
					c.figures[m.Name] = true
				}
			}
		}
	}
}

// span waits for a span.
func (c *collector) span(t *testing.T, name string) (span *trace.Span) {
	t.Helper()
	waittest.Until(t, "there is a span "+name, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		span = c.spans[name]
		return span != nil
	})
	return span
}

// within adds a header with the parent of all requests.
type within string

func (p within) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Traceparent", string(p))
	return http.DefaultTransport.RoundTrip(r)
}

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	client  = within("00-" + traceID + "-b7ad6b7169203331-01")
)

func TestACallIsASpanOfItsClientsTraceAndItsScriptIsTold(t *testing.T) {
	is := is.New(t)
	c := newCollector(t)
	root := greeter(t)
	is.NoErr(os.WriteFile(filepath.Join(root, "tools/greet/tool.sh"), []byte("#!/bin/sh\necho $TRACEPARENT\n"), 0o755))
	r := start(t, "--project", root)
	told := text(t, httpdtest.Visit(t, r.url, "2025-11-25", &http.Client{Transport: client}), "greet")
	call := c.span(t, "mcp-http tools/call greet")
	is.Equal(hex.EncodeToString(call.TraceId), traceID)
	is.Equal(hex.EncodeToString(call.ParentSpanId), "b7ad6b7169203331")
	is.Equal(strings.TrimSpace(told), "00-"+traceID+"-"+hex.EncodeToString(call.SpanId)+"-01")
	is.Equal(c.span(t, "mcp-http run").ParentSpanId, call.SpanId)
	waittest.Until(t, "the figures of Prometheus are sent, too", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.figures["mcp_call_duration_seconds"]
	})
}

func TestTheTraceOfACallGoesOnAtItsWorker(t *testing.T) {
	is := is.New(t)
	c := newCollector(t)
	members := newCluster(t)
	members.worker("w", 1)
	is.NoErr(post(t.Context(), &http.Client{Transport: client}, members.replica("r").url, "note", "{}"))
	call := c.span(t, "mcp-http tools/call note")
	is.Equal(hex.EncodeToString(call.TraceId), traceID)
	is.Equal(c.span(t, "mcp-http wait").ParentSpanId, call.SpanId)
	run := c.span(t, "mcp-http-worker run note")
	is.Equal(run.ParentSpanId, call.SpanId)
	is.Equal(run.TraceId, call.TraceId)
	is.Equal(c.span(t, "mcp-http-worker run").ParentSpanId, run.SpanId) // of the process
}

func TestACollectorThatIsAwayStopsNothing(t *testing.T) {
	is := is.New(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	r := start(t, "--project", greeter(t))
	is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", http.DefaultClient), "greet"), "hello\n")
}

func TestAVariableThatCannotBeFollowedIsAnError(t *testing.T) {
	self, err := os.Executable()
	is.New(t).NoErr(err)
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"
	for want, variables := range map[string][]string{
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc: only http/protobuf is spoken":       {endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=collector:4318: must be a URL":     {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=collector:4318"},
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc: only http/protobuf is spok": {endpoint, "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc"},
	} {
		t.Run(want, func(t *testing.T) {
			is := is.New(t)
			refused := exec.Command(self, "--project", greeter(t))
			refused.Env = append(append(refused.Environ(), "MCP_HTTP_PROGRAM=1"), variables...)
			said, _ := refused.CombinedOutput() // the exit code says more than the error
			is.Equal(refused.ProcessState.ExitCode(), 2)
			is.True(strings.Contains(string(said), want))
		})
	}
}

func TestTheEndpointOfASignalSwitchesOnThatSignalAlone(t *testing.T) {
	for _, signal := range []string{"TRACES", "METRICS"} {
		t.Run(signal, func(t *testing.T) {
			is := is.New(t)
			c := newCollector(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
			t.Setenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT", c.URL+"/v1/"+strings.ToLower(signal))
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "60000") // what is sent is sent at the end
			t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "60000")
			r := start(t, "--project", greeter(t))
			is.Equal(text(t, httpdtest.Visit(t, r.url, "2025-11-25", http.DefaultClient), "greet"), "hello\n")
			is.NoErr(r.stop())
			c.mu.Lock()
			defer c.mu.Unlock()
			is.Equal(c.spans["mcp-http tools/call greet"] != nil, signal == "TRACES")
			is.Equal(c.figures["mcp_call_duration_seconds"], signal == "METRICS")
		})
	}
}
