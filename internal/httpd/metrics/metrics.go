// Package metrics provides the Prometheus metrics of an HTTP server of MCP.
package metrics

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Metrics are the metrics of one server.
type Metrics struct {
	// Refused is called for each request that was answered with a status of 4xx or 5xx; it may be nil.
	Refused func(r *http.Request, status int)

	registry *prometheus.Registry
	calls    *prometheus.HistogramVec
	running  *prometheus.GaugeVec
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	open     prometheus.Gauge
	ended    *prometheus.CounterVec
	resumed  prometheus.Counter
	refused  *prometheus.CounterVec
	rules    *prometheus.CounterVec
}

// buckets are for times of calls and requests, in seconds.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// New returns metrics.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mcp_call_duration_seconds", Help: "Time from a call, waiting included, to its answer, by outcome: ok, " +
				"failed, refused, cancelled, input_required, task or dropped. The name is that of a tool or prompt that was found.",
			Buckets: buckets,
		}, []string{"method", "name", "outcome"}),
		running: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "mcp_calls_open", Help: "Calls that are not answered yet.",
		}, []string{"method"}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_http_requests_total", Help: "HTTP requests that were answered.",
		}, []string{"endpoint", "method", "code"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mcp_http_request_duration_seconds", Help: "Time from an HTTP request to the end of its response; of a " +
				"stream, to the end of the stream.",
			Buckets: buckets,
		}, []string{"endpoint", "method"}),
		open: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mcp_http_requests_open", Help: "HTTP requests that are being answered, streams among them.",
		}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_http_sessions_ended_total", Help: "Sessions that have ended, by reason: deleted, idle, crashed, " +
				"shutdown or refused.",
		}, []string{"reason"}),
		resumed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mcp_http_streams_resumed_total", Help: "Streams that clients have resumed.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_http_overload_total", Help: "HTTP requests that were refused because a limit was reached, by limit: " +
				"requests, sessions, processes or calls.",
		}, []string{"limit"}),
		rules: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_interceptors_total", Help: "Messages to which an interceptor objected, or that it changed, by outcome: " +
				"refused, changed, warned or failed. In the mode audit it had no effect.",
		}, []string{"interceptor", "mode", "outcome"}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "mcp_http_build_info", Help: "The version of the program.", ConstLabels: prometheus.Labels{"version": version},
	})
	info.Set(1)
	m.registry.MustRegister(m.calls, m.running, m.requests, m.took, m.open, m.ended, m.resumed, m.refused, m.rules, info,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Gauge adds a number that is asked for when it is read.
func (m *Metrics) Gauge(name, help string, value func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
		func() float64 { return float64(value()) }))
}

// Call is a [middleware.CallObserver]. A name that a client has made up does not become a label, or each would cost
// memory.
func (m *Metrics) Call(_ context.Context, call *pipeline.Message) (ended func(middleware.CallEnd)) {
	method := call.Method()
	switch method {
	case "tools/call", "prompts/get", "resources/read":
	default:
		return nil
	}
	open := m.running.WithLabelValues(method)
	open.Inc()
	return func(e middleware.CallEnd) {
		if !e.Task {
			open.Dec()
		}
		name := ""
		if e.Outcome != "refused" && e.Outcome != "cancelled" && method != "resources/read" {
			name = middleware.Subject(pipeline.MCP, call)
		}
		m.calls.WithLabelValues(method, name, e.Outcome).Observe(e.Took.Seconds())
	}
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Gatherer returns the figures for other ways to send them.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Count counts the requests to an endpoint.
func (m *Metrics) Count(endpoint string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		m.open.Inc()
		seen := &watched{ResponseWriter: w}
		defer func() {
			m.open.Dec()
			method := known(r.Method)
			if seen.code == 0 {
				seen.code = http.StatusOK
			}
			m.requests.WithLabelValues(endpoint, method, strconv.Itoa(seen.code)).Inc()
			m.took.WithLabelValues(endpoint, method).Observe(time.Since(began).Seconds())
			if seen.code >= 400 && m.Refused != nil {
				m.Refused(r, seen.code)
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// known returns the label of a method: clients can send any text, so unknown ones share a label.
func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodHead:
		return method
	}
	return "other"
}

// SessionEnded counts a session that has ended.
func (m *Metrics) SessionEnded(reason string) { m.ended.WithLabelValues(reason).Inc() }

// Resumed counts a stream that was resumed.
func (m *Metrics) Resumed() { m.resumed.Inc() }

// Overload counts a request that was refused because of a limit.
func (m *Metrics) Overload(limit string) { m.refused.WithLabelValues(limit).Inc() }

// Intercepted counts what an interceptor did to a message.
func (m *Metrics) Intercepted(name, outcome string, audit bool) {
	mode := "enforce"
	if audit {
		mode = "audit"
	}
	m.rules.WithLabelValues(name, mode, outcome).Inc()
}

// watched records the status of a response.
type watched struct {
	http.ResponseWriter
	code int
}

func (w *watched) WriteHeader(code int) {
	if w.code == 0 {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
