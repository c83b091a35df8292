// Package metrics provides the Prometheus metrics of an HTTP server of MCP.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the metrics of one server.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	open     prometheus.Gauge
	ended    *prometheus.CounterVec
	resumed  prometheus.Counter
	refused  *prometheus.CounterVec
}

// New returns metrics. The function sessions returns the number of open sessions.
func New(version string, sessions func() int) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_http_requests_total", Help: "HTTP requests that were answered.",
		}, []string{"endpoint", "method", "code"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mcp_http_request_duration_seconds", Help: "Time from an HTTP request to the end of its response; of a " +
				"stream, to the end of the stream.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
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
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "mcp_http_build_info", Help: "The version of the program.", ConstLabels: prometheus.Labels{"version": version},
	})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.took, m.open, m.ended, m.resumed, m.refused, info,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "mcp_http_sessions_open", Help: "Sessions that are open.",
		}, func() float64 { return float64(sessions()) }),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

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
