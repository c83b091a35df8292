package message_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/message"
)

func TestAMessageIsReadAsOneLine(t *testing.T) {
	is := is.New(t)
	w := httptest.NewRecorder()
	m, ok := message.Read(w, httptest.NewRequest("POST", "/", strings.NewReader(" {\r\n\"jsonrpc\": \"2.0\",\n\"id\": 1,\n\"method\": \"m\"}\n")), 100)
	is.True(ok)
	is.Equal(string(m.Line()), `{"jsonrpc":"2.0","id":1,"method":"m"}`)
	is.Equal(w.Body.Len(), 0) // it is not answered yet
}

func TestABodyWithoutAMessageIsAnsweredWithTheReason(t *testing.T) {
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		"":                                    {400, `"code":-32700`},
		"{\n":                                 {400, `"code":-32700`},
		`{"jsonrpc":"2.0","id":7,"method":5}`: {400, `"id":7,"error":{"code":-32600`},
		strings.Repeat("x", 101):              {413, `the body is longer than 100 bytes`},
	} {
		is := is.New(t)
		w := httptest.NewRecorder()
		_, ok := message.Read(w, httptest.NewRequest("POST", "/", strings.NewReader(body)), 100)
		is.True(!ok)
		is.Equal(w.Code, want.status)
		is.True(strings.Contains(w.Body.String(), want.text))
		is.Equal(w.Header().Get("Content-Type"), "application/json")
		is.Equal(w.Header().Get("Cache-Control"), "no-store")
		is.Equal(w.Header().Get("X-Content-Type-Options"), "nosniff")
	}
}

func TestABodyOfAnotherTypeIsRefused(t *testing.T) {
	for kind, want := range map[string]bool{"application/json": true, "application/json; charset=utf-8": true, "text/plain": false, "": false} {
		is := is.New(t)
		w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Content-Type", kind)
		is.Equal(message.IsJSON(w, r), want)
		is.Equal(w.Code == http.StatusUnsupportedMediaType, !want)
	}
}
