// Package auth authenticates requests by a bearer token: one of a file, or an access token of an OAuth authorization
// server.
package auth

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// challenging returns next behind require, whose refusals get a WWW-Authenticate header: RFC 9110 requires it
// with 401, and require sends one only for OAuth.
func challenging(require func(http.Handler) http.Handler, next http.Handler) http.Handler {
	const header = "WWW-Authenticate"
	guarded := require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del(header)
		next.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(header, "Bearer")
		guarded.ServeHTTP(w, r)
	})
}

// A Resource is a server that an OAuth authorization server issues tokens for.
type Resource struct {
	// Issuer is the URL of the authorization server. Its keys are fetched again when a token is
	// signed with an unknown key, at most once in five seconds.
	Issuer string
	// JWKS is the URL of its keys. Empty: the URL in its OpenID Connect metadata.
	JWKS string
	// URL is the server's URL for clients, https://host/mcp, and the audience of tokens unless
	// Audience is set.
	URL      string
	Audience string
	// Scopes are the scopes that a token must have.
	Scopes []string
}

// An OAuth is a resource with the keys of its authorization server.
type OAuth struct {
	resource Resource
	verifier *oidc.IDTokenVerifier
}

// answerTime is how long the authorization server may take to answer. Without a limit one that hangs would
// hold up all requests whose token has a key that is not known yet.
var answerTime = 10 * time.Second

// NewOAuth returns the OAuth of a resource. It asks the authorization server for its metadata, unless
// r.JWKS is set.
func NewOAuth(ctx context.Context, r Resource) (*OAuth, error) {
	for _, one := range []struct{ name, value string }{{"issuer", r.Issuer}, {"resource URL", r.URL},
		{"JWKS URL", cmp.Or(r.JWKS, r.Issuer)}} {
		name, value := one.name, one.value
		u, err := url.Parse(value)
		if err != nil || u.Host == "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, fmt.Errorf("the %s %q must be an https URL", name, value)
		}
		if u.Scheme == "http" && !slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, u.Hostname()) {
			return nil, fmt.Errorf("the %s %q must be an https URL: over http anybody on the way could read or change tokens",
				name, value)
		}
	}
	if r.Audience == "" {
		r.Audience = r.URL
	}
	config := &oidc.Config{
		ClientID: r.Audience,
		SupportedSigningAlgs: []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256,
			oidc.PS384, oidc.PS512, oidc.EdDSA},
	}
	ctx = oidc.ClientContext(ctx, &http.Client{Timeout: answerTime, Transport: &sparing{next: http.DefaultTransport}})
	if r.JWKS != "" {
		return &OAuth{r, oidc.NewVerifier(r.Issuer, oidc.NewRemoteKeySet(ctx, r.JWKS), config)}, nil
	}
	provider, err := oidc.NewProvider(ctx, r.Issuer)
	if err != nil {
		return nil, fmt.Errorf("the authorization server %s: %w", r.Issuer, err)
	}
	return &OAuth{r, provider.Verifier(config)}, nil
}

// Require accepts requests with a token of the authorization server for this resource.
func (o *OAuth) Require(next http.Handler) http.Handler {
	return auth.RequireBearerToken(remembered(o.verify), &auth.RequireBearerTokenOptions{
		ResourceMetadataURL: o.metadataURL(),
		Scopes:              o.resource.Scopes,
		ClockSkew:           30 * time.Second,
	})(next)
}

// verify checks a token's signature, issuer, audience and time.
func (o *OAuth) verify(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	checked, err := o.verifier.Verify(ctx, token)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
	}
	var claims struct {
		Scope  string   `json:"scope"`
		Scopes []string `json:"scp"`
		Client string   `json:"client_id"`
	}
	if err := checked.Claims(&claims); err != nil {
		return nil, fmt.Errorf("%w: %w", auth.ErrInvalidToken, err)
	}
	user := o.resource.Issuer + " sub " + checked.Subject
	switch {
	case checked.Subject != "":
	case claims.Client != "": // never the user whose sub is the same text
		user = o.resource.Issuer + " client " + claims.Client
	default:
		return nil, fmt.Errorf("%w: it has neither sub nor client_id", auth.ErrInvalidToken)
	}
	scopes := append(strings.Fields(claims.Scope), claims.Scopes...)
	return &auth.TokenInfo{
		UserID: user,
		Extra: map[string]any{identity: mcp.Caller{
			ID: user, Issuer: o.resource.Issuer, Subject: cmp.Or(checked.Subject, claims.Client), Scopes: scopes,
		}},
		Expiration: checked.Expiry,
		Scopes:     scopes,
	}, nil
}

// metadataPath is the path of a resource's metadata by RFC 9728; the resource's own path follows it.
const metadataPath = "/.well-known/oauth-protected-resource"

// metadataURL returns the URL at which clients find the metadata.
func (o *OAuth) metadataURL() string {
	u, _ := url.Parse(o.resource.URL) // NewOAuth has read it
	u.Path = metadataPath + strings.TrimSuffix(u.Path, "/")
	return u.String()
}

// Metadata returns the handler of the resource's metadata, from which clients learn where to get
// tokens, and the paths at which to serve it.
func (o *OAuth) Metadata() (handler http.Handler, paths []string) {
	u, _ := url.Parse(o.metadataURL())
	paths = []string{metadataPath}
	if u.Path != metadataPath {
		paths = append(paths, u.Path)
	}
	return auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource:               o.resource.URL,
		AuthorizationServers:   []string{o.resource.Issuer},
		ScopesSupported:        o.resource.Scopes,
		BearerMethodsSupported: []string{"header"},
		ResourceName:           "MCP server",
	}), paths
}
