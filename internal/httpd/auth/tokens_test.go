package auth_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/auth"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

const (
	secret = "0123456789abcdef0123456789abcdef"
	other  = "fedcba9876543210fedcba9876543210"
)

// tokenFile returns the name of a file of tokens.
func tokenFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	write(t, file, text)
	return file
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// guarded returns user behind the tokens of a file.
func guarded(t *testing.T, file string, log *slog.Logger) http.Handler {
	t.Helper()
	tokens, err := auth.OpenTokens(file, log)
	if err != nil {
		t.Fatal(err)
	}
	return tokens.Require(user)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestASharedSecretLetsInWhoeverHasIt(t *testing.T) {
	is := is.New(t)
	h := guarded(t, tokenFile(t, secret+"\n"), quiet())
	w := try(h, "Bearer "+secret)
	is.Equal(w.Body.String(), "user ")
	is.Equal(w.Header().Get("WWW-Authenticate"), "")
	for _, wrong := range []string{"", "Bearer", "Bearer ", "Bearer " + secret[1:], "Bearer " + secret + "0", "Basic " + secret, secret} {
		w := try(h, wrong)
		is.Equal(w.Code, http.StatusUnauthorized)
		is.Equal(w.Header().Values("WWW-Authenticate"), []string{"Bearer"}) // what to send
	}
}

func TestTokensWithNamesTellCallersApart(t *testing.T) {
	is := is.New(t)
	hash := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(other)))
	tokens, err := auth.OpenTokens(tokenFile(t, "# who\n\nada "+secret+" scopes=read,write\nci  "+hash+"\n"), quiet())
	is.NoErr(err)
	var caller mcp.Caller
	h := tokens.Require(auth.Proxies(nil).Identify(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		caller = mcp.CallerOf(r.Context())
	})))
	is.Equal(try(h, "Bearer "+secret).Code, http.StatusOK)
	is.Equal(caller, mcp.Caller{ID: "token ada", Subject: "ada", Scopes: []string{"read", "write"}, Address: "192.0.2.1"})
	is.Equal(try(h, "Bearer "+other).Code, http.StatusOK)
	is.Equal(caller, mcp.Caller{ID: "token ci", Subject: "ci", Address: "192.0.2.1"})
	is.Equal(try(h, "Bearer "+hash).Code, http.StatusUnauthorized) // a hash is not a token
}

func TestTokensAreReadAgainWhenTheirFileChanges(t *testing.T) {
	is := is.New(t)
	file := tokenFile(t, "ada "+secret+"\n")
	var log bytes.Buffer
	h := guarded(t, file, slog.New(slog.NewTextHandler(&log, nil)))
	is.Equal(try(h, "Bearer "+secret).Body.String(), "user token ada")
	is.Equal(log.String(), "") // it has not changed
	write(t, file, "bob "+other+"\n")
	is.Equal(try(h, "Bearer "+secret).Code, http.StatusUnauthorized)
	is.Equal(try(h, "Bearer "+other).Body.String(), "user token bob")
	is.True(strings.Contains(log.String(), "the tokens were read again"))
}

func TestTokensMayComeThroughAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes have no names in folders there")
	}
	is := is.New(t)
	r, w, err := os.Pipe() // as of <(command)
	is.NoErr(err)
	defer r.Close()
	_, err = w.WriteString(secret)
	is.NoErr(err)
	is.NoErr(w.Close())
	h := guarded(t, fmt.Sprintf("/dev/fd/%d", r.Fd()), quiet())
	for range 2 {
		is.Equal(try(h, "Bearer "+secret).Code, http.StatusOK)
	}
}

func TestAFileOfTokensWithAFaultLetsNobodyIn(t *testing.T) {
	is := is.New(t)
	file := tokenFile(t, "ada "+secret+"\nbob "+other+"\n")
	var log bytes.Buffer
	h := guarded(t, file, slog.New(slog.NewTextHandler(&log, nil)))
	write(t, file, "ada "+secret+"\nbob "+other+" scope=all\n")
	for range 2 {
		w := try(h, "Bearer "+secret)
		is.Equal(w.Code, http.StatusInternalServerError) // 401 would have clients ask for another token
		is.Equal(w.Body.String(), "the server cannot read its tokens; its log has the reason\n")
	}
	is.Equal(strings.Count(log.String(), "line 2: unknown setting"), 1)
	is.NoErr(os.Remove(file))
	is.Equal(try(h, "Bearer "+secret).Code, http.StatusInternalServerError)
	write(t, file, "ada "+secret+"\n")
	is.Equal(try(h, "Bearer "+secret).Body.String(), "user token ada")
}

func TestATokenMayHaveALimitOfRequestsInAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		file := tokenFile(t, "ada "+secret+" requests=2\nci "+other+"\n")
		h := guarded(t, file, quiet())
		is.Equal(try(h, "Bearer "+secret).Code, http.StatusOK)
		write(t, file, "ada "+secret+" requests=2\nother "+other+"\n") // does not give her more
		is.Equal(try(h, "Bearer "+secret).Code, http.StatusOK)
		w := try(h, "Bearer "+secret)
		is.Equal(w.Code, http.StatusTooManyRequests)
		is.Equal(w.Header().Get("Retry-After"), "5")
		is.Equal(try(h, "Bearer "+other).Code, http.StatusOK)
		<-time.After(time.Minute + time.Second)
		is.Equal(try(h, "Bearer "+secret).Code, http.StatusOK)
	})
}

func TestAFaultInAFileOfTokensNamesItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"secret":                               "the token has 6 characters, and must have at least 32; `openssl rand -hex 32` makes one",
		"":                                     "no token; `openssl rand -hex 32` makes one",
		"# nobody yet":                         "no token; `openssl rand -hex 32` makes one",
		"ada " + secret + "\nbob":              "line 2: expected a name and a token, or sha256: and its hash",
		"ada short":                            "line 1: the token has 5 characters, and must have at least 32; `openssl rand -hex 32` makes one",
		"ada sha256:12":                        "line 1: after sha256: must follow 64 hexadecimal digits; `printf %s \"$TOKEN\" | sha256sum` prints them",
		"ada " + secret + "\nada " + other:     `line 2: duplicate name "ada"`,
		"ada " + secret + "\nbob " + secret:    `line 2: "bob" has the token of "ada"`,
		"ada " + secret + " requests=0":        "line 1: requests=0: must be 1 or more, the requests in a minute",
		"ada " + secret + " scopes=":           "line 1: unknown setting; after the token may follow scopes=A,B and requests=N",
		"ada " + secret + " # the first of us": "line 1: a comment must be a line of its own",
	} {
		t.Run(text, func(t *testing.T) {
			is := is.New(t)
			_, err := auth.OpenTokens(tokenFile(t, text), quiet())
			is.True(err != nil)
			is.Equal(err.Error(), want)
		})
	}
}
