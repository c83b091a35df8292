package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
)

func TestMessagesOfOpenRequestsShareTheirMemory(t *testing.T) {
	is := is.New(t)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	held, let := make(chan bool), make(chan bool)
	h := measured(limit.NewShares("bytes of messages are held", len(ping)+1, len(ping)), metrics.New("test"),
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, ok := message.Read(w, r, 1<<10); ok {
				held <- true
				<-let
			}
		}))
	post := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/mcp", strings.NewReader(ping)))
		return w
	}
	first := make(chan bool)
	go func() { post(); close(first) }()
	<-held
	second := post()
	is.Equal(second.Code, http.StatusServiceUnavailable)
	is.Equal(second.Header().Get("Retry-After"), "5")
	is.True(strings.Contains(second.Body.String(), `"code":-32000,"message":"Server busy: too many bytes of messages are held`))
	let <- true
	<-first
	go post() // there is room again
	<-held
	let <- true
}

func TestOneRequestTooManyIsRefusedUntilAnotherHasEnded(t *testing.T) {
	is := is.New(t)
	var h http.Handler
	codes := []int{}
	h = limited(limit.NewShares("requests are open", 1, 1), metrics.New("test"),
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			w := httptest.NewRecorder() // while the first one is open
			h.ServeHTTP(w, httptest.NewRequest("GET", "/mcp", nil))
			codes = append(codes, w.Code)
		}))
	for range 2 {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/mcp", nil))
	}
	is.Equal(codes, []int{http.StatusServiceUnavailable, http.StatusServiceUnavailable})
}
