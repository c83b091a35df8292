package bundle

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestABundleIsPostedWithTheToken(t *testing.T) {
	is := is.New(t)
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = fmt.Sprintln(r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), r.Header.Get("X-Bundle-Name"), r.ContentLength, string(body))
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "welcome\n")
	}))
	defer server.Close()
	var last int64
	answer, err := Registry{URL: server.URL + "/base/", Token: "t0"}.Send(context.Background(), file(t), func(n int64) { last = n })
	is.NoErr(err)
	is.Equal(answer, "welcome")
	is.Equal(last, int64(5)) // all was told
	is.Equal(got, "POST /base/api/v1/bundles Bearer t0 application/octet-stream a-1.mcpb 5 bytes\n")
}

func TestARefusalSaysWhatToDo(t *testing.T) {
	for code, want := range map[int]string{
		401: "the registry answered 401 Unauthorized: the token is not accepted; make a new one and set MCP_REGISTRY_TOKEN\nwhy",
		409: "the registry answered 409 Conflict: this version already exists; make a bundle with another --version\nwhy",
		422: "the registry answered 422 Unprocessable Entity: the bundle is not as the registry wants it\nwhy",
		500: "the registry answered 500 Internal Server Error\nwhy",
		307: "the registry answered 307 Temporary Redirect: it is at /elsewhere now; set MCP_REGISTRY_URL\nwhy",
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			is := is.New(t)
			calls := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls++
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(code)
				io.WriteString(w, "why")
			}))
			defer server.Close()
			_, err := Registry{URL: server.URL, Token: "t"}.Send(context.Background(), file(t), func(int64) {})
			is.True(err != nil)
			is.Equal(err.Error(), want)
			is.Equal(calls, 1) // the token goes nowhere else
		})
	}
}

func TestNothingIsSentWithoutAnAddressAndAToken(t *testing.T) {
	for _, c := range []struct{ url, token, want string }{
		{"", "t", "no registry: set MCP_REGISTRY_URL"},
		{"https://r.example", "", "no token: set MCP_REGISTRY_TOKEN"},
		{"r.example", "t", "is not an address"},
		{"ftp://r.example", "t", "is not an address"},
		{"http://r.example", "t", "for all to read; use https"},
		{"https://me:pw@r.example", "t", "without a user"},
		{"ftp://me:pw@r.example", "t", "without a user"}, // so that no error shows the password
	} {
		_, err := Registry{URL: c.url, Token: c.token}.Send(context.Background(), file(t), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v does not say %q", c.url, err, c.want)
		}
	}
}

// file is a file of five bytes.
func file(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "a-1.mcpb")
	if err := os.WriteFile(path, []byte("bytes"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
