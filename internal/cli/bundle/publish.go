package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// answerBytes is how much of a registry's response is read.
const answerBytes = 64 << 10

// A Registry is a server that bundles are uploaded to.
type Registry struct {
	URL    string // as in https://registry.example.com
	Token  string
	Client *http.Client // nil for a new client
}

// endpoint returns the URL to which bundles are posted.
func (r Registry) endpoint() (string, error) {
	u, err := url.Parse(r.URL)
	switch {
	case r.URL == "":
		return "", errors.New("no registry: set MCP_REGISTRY_URL to the address of one, as in https://registry.example.com")
	case err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != ""):
		return "", errors.New("MCP_REGISTRY_URL must be an address without a user, a query or a fragment")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("MCP_REGISTRY_URL %q is not an address, as in https://registry.example.com", r.URL)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "", fmt.Errorf("MCP_REGISTRY_URL %q would send the token for all to read; use https", r.URL)
	}
	return u.JoinPath("api", "v1", "bundles").String(), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// A Request is what [Registry.Send] sends.
type Request struct {
	Method string
	URL    string
	Header http.Header // without the token
	Size   int64
}

// Request returns how the bundle at path would be sent.
func (r Registry) Request(path string) (Request, error) {
	to, err := r.endpoint()
	if err != nil {
		return Request{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Request{}, err
	}
	return Request{http.MethodPost, to, http.Header{
		"Content-Type":  {"application/octet-stream"},
		"X-Bundle-Name": {filepath.Base(path)},
	}, info.Size()}, nil
}

// Send posts the bundle at path and returns the registry's response. It calls sent with the number of
// bytes sent so far. It does not follow redirects, which would pass the token to other servers.
func (r Registry) Send(ctx context.Context, path string, sent func(bytes int64)) (string, error) {
	plan, err := r.Request(path)
	if err != nil {
		return "", err
	}
	if r.Token == "" {
		return "", errors.New("no token: set MCP_REGISTRY_TOKEN to one of the registry's")
	}
	f, _, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	req, err := http.NewRequestWithContext(ctx, plan.Method, plan.URL, &counted{r: f, onRead: sent})
	if err != nil {
		return "", err
	}
	req.Header, req.ContentLength = plan.Header, plan.Size
	req.Header.Set("Authorization", "Bearer "+r.Token)
	client := http.Client{}
	if r.Client != nil {
		client = *r.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("the registry cannot be reached: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerBytes))
	if err != nil {
		return "", fmt.Errorf("the registry's answer: %w", err)
	}
	text := strings.TrimSpace(string(answer))
	return text, refusal(resp, text)
}

// refusal returns the error that a response means; nil for success.
func refusal(resp *http.Response, text string) error {
	what := "the registry answered " + resp.Status
	switch code := resp.StatusCode; {
	case code == http.StatusOK, code == http.StatusCreated, code == http.StatusAccepted:
		return nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		what += ": the token is not accepted; make a new one and set MCP_REGISTRY_TOKEN"
	case code == http.StatusConflict:
		what += ": this version already exists; make a bundle with another --version"
	case code == http.StatusUnprocessableEntity:
		what += ": the bundle is not as the registry wants it"
	case code >= 300 && code < 400:
		what += ": it is at " + resp.Header.Get("Location") + " now; set MCP_REGISTRY_URL"
	}
	if text != "" {
		what += "\n" + text
	}
	return errors.New(what)
}

// A counted is a reader that counts the bytes read.
type counted struct {
	r      io.Reader
	n      int64
	onRead func(int64)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	c.onRead(c.n)
	return n, err
}
