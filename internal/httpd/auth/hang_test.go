package auth

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestAnAuthorizationServerThatHangsHoldsUpNobodyForLong(t *testing.T) {
	is := is.New(t)
	defer func(d time.Duration) { answerTime = d }(answerTime)
	answerTime = 50 * time.Millisecond
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer s.Close()
	_, err := NewOAuth(t.Context(), Resource{Issuer: s.URL, URL: "https://mcp.example.com/mcp"})
	is.True(err != nil)
	_, err = NewOAuth(t.Context(), Resource{Issuer: s.URL, JWKS: s.URL, URL: "https://mcp.example.com/mcp"})
	is.NoErr(err) // the keys are fetched with the first request
}
