package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

func TestRequestsAndSessionsAreCounted(t *testing.T) {
	is := is.New(t)
	m := metrics.New("1.2.3")
	m.Gauge("mcp_http_sessions_open", "Sessions that are open.", func() int { return 7 })
	h := m.Count("mcp", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		is.NoErr(http.NewResponseController(w).Flush()) // streams need it
		if r.Method == "DELETE" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	for _, method := range []string{"POST", "POST", "BREW"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "/mcp", nil))
	}
	m.SessionEnded("idle")
	m.Resumed()
	m.Overload("requests")
	m.Intercepted("no-secrets", "changed", false)
	m.Intercepted("markers", "refused", true)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, line := range []string{
		`mcp_http_requests_total{code="200",endpoint="mcp",method="POST"} 2`,
		`mcp_http_requests_total{code="200",endpoint="mcp",method="other"} 1`,
		`mcp_http_request_duration_seconds_count{endpoint="mcp",method="POST"} 2`,
		`mcp_http_requests_open 0`,
		`mcp_http_sessions_open 7`,
		`mcp_http_sessions_ended_total{reason="idle"} 1`,
		`mcp_http_streams_resumed_total 1`,
		`mcp_http_overload_total{limit="requests"} 1`,
		`mcp_http_build_info{version="1.2.3"} 1`,
		`mcp_interceptors_total{interceptor="no-secrets",mode="enforce",outcome="changed"} 1`,
		`mcp_interceptors_total{interceptor="markers",mode="audit",outcome="refused"} 1`,
	} {
		if !strings.Contains(w.Body.String(), "\n"+line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
}

func TestNamesThatClientsMakeUpAreNoLabels(t *testing.T) {
	is := is.New(t)
	m := metrics.New("1.2.3")
	call := func(params, outcome string) {
		m.Call(t.Context(), pipeline.Parse([]byte(pipetest.Call(1, "tools/call", params))))(middleware.CallEnd{Outcome: outcome})
	}
	call(`{"name":"greet"}`, "ok")
	call(`{"name":"no such tool"}`, "refused")
	is.True(m.Call(t.Context(), pipeline.Parse([]byte(pipetest.Call(1, "ping", "{}")))) == nil)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	is.True(strings.Contains(w.Body.String(), `mcp_call_duration_seconds_count{method="tools/call",name="greet",outcome="ok"} 1`))
	is.True(strings.Contains(w.Body.String(), `mcp_call_duration_seconds_count{method="tools/call",name="",outcome="refused"} 1`))
	is.True(!strings.Contains(w.Body.String(), "no such tool"))
}
