package auth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/auth"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// user answers with the user of the request.
var user = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("user " + auth.User(r))) })

// try sends a request with an Authorization header, "" for none.
func try(h http.Handler, authorization string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/mcp", nil)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// An issuer is an authorization server.
type issuer struct {
	url string
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	one := &issuer{key: key}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": one.url, "jwks_uri": one.url + "/keys"})
		case "/keys":
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	one.url = s.URL
	return one
}

// token returns a token with these claims and those that every token has.
func (i *issuer) token(t *testing.T, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key, KeyID: "1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"iss": i.url, "aud": "https://mcp.example/mcp", "sub": "ada", "exp": time.Now().Add(time.Hour).Unix(), "scope": "tools read"}
	for name, value := range claims {
		all[name] = value
		if value == nil {
			delete(all, name)
		}
	}
	text, err := jwt.Signed(signer).Claims(all).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func resource(i *issuer) auth.Resource {
	return auth.Resource{Issuer: i.url, URL: "https://mcp.example/mcp", Scopes: []string{"tools"}}
}

func TestATokenOfTheAuthorizationServerLetsItsUserIn(t *testing.T) {
	is := is.New(t)
	i := newIssuer(t)
	for name, r := range map[string]auth.Resource{"by metadata": resource(i), "by JWKS": {Issuer: i.url, JWKS: i.url + "/keys", URL: "https://mcp.example/mcp"}} {
		t.Run(name, func(t *testing.T) {
			o, err := auth.NewOAuth(t.Context(), r)
			is.NoErr(err)
			w := try(o.Require(user), "Bearer "+i.token(t, nil))
			is.Equal(w.Body.String(), "user "+i.url+" sub ada")
			var caller mcp.Caller
			try(o.Require(auth.Proxies(nil).Identify(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				caller = mcp.CallerOf(r.Context())
			}))), "Bearer "+i.token(t, nil))
			is.Equal(caller, mcp.Caller{ID: i.url + " sub ada", Issuer: i.url, Subject: "ada", Scopes: []string{"tools", "read"}, Address: "192.0.2.1"})
			w = try(o.Require(user), "Bearer "+i.token(t, map[string]any{"sub": nil, "client_id": "ada"}))
			is.Equal(w.Body.String(), "user "+i.url+" client ada") // who is not the user ada
		})
	}
}

func TestATokenThatIsNotForUsIsRefused(t *testing.T) {
	i, other := newIssuer(t), newIssuer(t)
	o, err := auth.NewOAuth(t.Context(), resource(i))
	if err != nil {
		t.Fatal(err)
	}
	h := o.Require(user)
	for name, c := range map[string]struct {
		token string
		code  int
	}{
		"none":               {"", 401},
		"no token":           {"x", 401},
		"of another issuer":  {other.token(t, nil), 401},
		"by another key":     {other.token(t, map[string]any{"iss": i.url}), 401},
		"for another server": {i.token(t, map[string]any{"aud": "https://other.example"}), 401},
		"expired":            {i.token(t, map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), 401},
		"without an end":     {i.token(t, map[string]any{"exp": nil}), 401},
		"of nobody":          {i.token(t, map[string]any{"sub": nil}), 401},
		"too narrow":         {i.token(t, map[string]any{"scope": "read"}), 403},
		"unsigned":           {"eyJhbGciOiJub25lIn0." + strings.Split(i.token(t, nil), ".")[1] + ".", 401},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			w := try(h, "Bearer "+c.token)
			is.Equal(w.Code, c.code)
			is.True(strings.Contains(w.Header().Get("WWW-Authenticate"), `resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`)) // where to get one
		})
	}
}

func TestTheMetadataSayWhereTokensComeFrom(t *testing.T) {
	is := is.New(t)
	i := newIssuer(t)
	o, err := auth.NewOAuth(t.Context(), resource(i))
	is.NoErr(err)
	h, paths := o.Metadata()
	is.Equal(strings.Join(paths, " "), "/.well-known/oauth-protected-resource /.well-known/oauth-protected-resource/mcp")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", paths[1], nil))
	var got struct {
		Resource string
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
	}
	is.NoErr(json.Unmarshal(w.Body.Bytes(), &got))
	is.Equal(got.Resource, "https://mcp.example/mcp")
	is.Equal(got.Servers, []string{i.url})
	is.Equal(got.Scopes, []string{"tools"})
}

func TestAnAuthorizationServerThatCannotBeTrustedIsRefused(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range []auth.Resource{
		{Issuer: "http://issuer.example", URL: "https://mcp.example/mcp"},
		{Issuer: "https://issuer.example", URL: "http://mcp.example/mcp"},
		{Issuer: "https://issuer.example", URL: "https://mcp.example/mcp", JWKS: "http://issuer.example/keys"},
		{Issuer: "issuer.example", URL: "https://mcp.example/mcp"},
		{Issuer: "https://issuer.example", URL: ""},
		{Issuer: "https://issuer.example", URL: "https://mcp.example/mcp"}, // it does not answer
	} {
		_, err := auth.NewOAuth(ctx, r)
		is.True(err != nil)
	}
}
