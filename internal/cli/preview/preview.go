// Package preview is a host of MCP Apps for authors of pages: it serves a web page to this machine
// only, which shows the page of a tool as clients do, in a sandboxed frame, and forwards its calls to
// the server.
package preview

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

//go:embed assets
var assets embed.FS

// A Server is a session with an MCP server, for the calls of the host. It must be safe for
// concurrent use.
type Server = dial.Caller

// Errors of Open.
var (
	ErrNoTool = errors.New("unknown tool")
	ErrNoPage = errors.New("no page")
)

// A Host shows the page of one tool.
type Host struct {
	server    Server
	tool      string
	arguments map[string]any
	host      string // the address it listens on, as in the header Host
	// The secrets of the host's own page and of the page it shows. That page must not know the first
	// secret: with it, it could call tools without the host noticing.
	token, pageToken string
	ticket           atomic.Pointer[string] // secret of the one-time URL; nil: used
	mux              *http.ServeMux
}

// Open returns the host for the page of a tool, which is called with arguments each time the page is
// opened. address is that of the listener, on a loopback interface. The error is ErrNoTool,
// ErrNoPage, or that of the server.
func Open(ctx context.Context, server Server, tool string, arguments map[string]any, address net.Addr) (*Host, error) {
	h := &Host{server: server, tool: tool, arguments: arguments, host: address.String(), token: rand.Text(),
		pageToken: rand.Text(), mux: http.NewServeMux()}
	if h.arguments == nil {
		h.arguments = map[string]any{}
	}
	t, err := h.find(ctx, tool)
	if err != nil {
		return nil, err
	}
	if t.Meta.UI.URI == "" {
		return nil, fmt.Errorf("%w: the tool %s has none", ErrNoPage, tool)
	}
	ticket := rand.Text()
	h.ticket.Store(&ticket)
	h.mux.HandleFunc("GET /once/{ticket}/{$}", h.once)
	h.mux.HandleFunc("GET /{token}/{$}", guarded(h.token, asset("host.html", "text/html; charset=utf-8")))
	h.mux.HandleFunc("GET /{token}/host.css", guarded(h.token, asset("host.css", "text/css; charset=utf-8")))
	h.mux.HandleFunc("GET /{token}/host.js", guarded(h.token, asset("host.js", "text/javascript; charset=utf-8")))
	h.mux.HandleFunc("GET /{token}/start", guarded(h.token, h.start))
	h.mux.HandleFunc("POST /{token}/call", guarded(h.token, h.call))
	h.mux.HandleFunc("GET /{token}/page", guarded(h.pageToken, h.page))
	return h, nil
}

// URL returns the address of the host for a browser. It is a secret: it allows calls of the server's tools.
func (h *Host) URL() string { return "http://" + h.host + "/" + h.token + "/" }

// OnceURL returns an address that redirects to that URL, but only once: other users of the machine
// can see the command line of a browser.
func (h *Host) OnceURL() string {
	if ticket := h.ticket.Load(); ticket != nil {
		return "http://" + h.host + "/once/" + *ticket + "/"
	}
	return h.URL()
}

func (h *Host) once(w http.ResponseWriter, r *http.Request) {
	ticket := h.ticket.Load()
	if ticket == nil || !same(r.PathValue("ticket"), *ticket) || !h.ticket.CompareAndSwap(ticket, nil) {
		http.Error(w, "this address worked once; open the one that mcp-bash printed", http.StatusGone)
		return
	}
	http.Redirect(w, r, h.URL(), http.StatusSeeOther)
}

// Serve serves until ctx ends.
func (h *Host) Serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends calls
	}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// ServeHTTP serves a browser on this machine. Other web sites in it cannot call: neither under their
// own host name that resolves to this address, nor without the secret.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host != h.host {
		http.Error(w, "unknown host", http.StatusMisdirectedRequest)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.NewCrossOriginProtection().Handler(h.mux).ServeHTTP(w, r)
}

// guarded accepts only requests with this secret.
func guarded(token string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !same(r.PathValue("token"), token) {
			http.NotFound(w, r)
			return
		}
		next(w, r)
	}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func asset(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "+
			"connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		_, _ = w.Write(text) // the browser may have disconnected
	}
}

// start returns the initial data of the host's page: the current tool and its arguments.
func (h *Host) start(w http.ResponseWriter, r *http.Request) {
	t, err := h.find(r.Context(), h.tool)
	if err != nil {
		reply(w, nil, err)
		return
	}
	reply(w, map[string]any{"tool": t.all, "arguments": h.arguments, "page": "/" + h.pageToken + "/page"}, nil)
}

// maxBody is the maximum size of a call of a page.
const maxBody = 16 << 20

// call forwards a call to the server. It is cancelled when the browser aborts the request.
func (h *Host) call(w http.ResponseWriter, r *http.Request) {
	var c struct {
		Method string         `json:"method"`
		Params map[string]any `json:"params"`
		Page   bool           `json:"page"` // the page calls, not the host
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.UseNumber() // keeps large integers exact
	if err := d.Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if c.Page {
		if err := h.allowed(r.Context(), c.Method, c.Params); err != nil {
			reply(w, nil, err)
			return
		}
	}
	result, err := h.server.Call(r.Context(), c.Method, c.Params)
	reply(w, result, err)
}

// allowed returns an error if a page may not call a method.
func (h *Host) allowed(ctx context.Context, method string, params map[string]any) error {
	switch method {
	case "resources/read":
		return nil
	case "tools/call":
		name, _ := params["name"].(string)
		t, err := h.find(ctx, name)
		if err != nil {
			return err
		}
		if v := t.Meta.UI.Visibility; v != nil && !slices.Contains(v, "app") {
			return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams,
				Message: fmt.Sprintf("pages may not call %s: its _meta.ui.visibility lacks \"app\"", name)}
		}
		return nil
	}
	return &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "pages may not call " + method}
}

// reply writes a JSON-RPC answer, for the host's page to pass on.
func reply(w http.ResponseWriter, result any, err error) {
	answer := map[string]any{"result": result}
	if err != nil {
		refused := &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
		errors.As(err, &refused)
		answer = map[string]any{"error": refused}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // as above
}

// A tool is an item of tools/list.
type tool struct {
	all  json.RawMessage
	Name string `json:"name"`
	Meta struct {
		UI struct {
			URI        string   `json:"resourceUri"`
			Visibility []string `json:"visibility"`
		} `json:"ui"`
	} `json:"_meta"`
}

// find looks up a tool in the current list of the server.
func (h *Host) find(ctx context.Context, name string) (tool, error) {
	tools, err := dial.All(ctx, h.server, "tools/list", "tools")
	if err != nil {
		return tool{}, err
	}
	for _, one := range tools {
		t := tool{all: one}
		if json.Unmarshal(one, &t) == nil && t.Name == name {
			return t, nil
		}
	}
	return tool{}, fmt.Errorf("%w: %s", ErrNoTool, name)
}

// page serves the current page of the tool, with the policy that hosts enforce.
func (h *Host) page(w http.ResponseWriter, r *http.Request) {
	html, declared, err := h.read(r.Context())
	w.Header().Set("Content-Security-Policy", policy(declared)+"; sandbox allow-scripts")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(html) // as above
}

// read reads the page.
func (h *Host) read(ctx context.Context) (html []byte, declared *domains, err error) {
	t, err := h.find(ctx, h.tool)
	if err != nil {
		return nil, nil, err
	}
	result, err := h.server.Call(ctx, "resources/read", map[string]any{"uri": t.Meta.UI.URI})
	if err != nil {
		return nil, nil, err
	}
	var r struct {
		Contents []struct {
			Type string  `json:"mimeType"`
			Text *string `json:"text"`
			Blob string  `json:"blob"`
			Meta struct {
				UI struct {
					CSP *domains `json:"csp"`
				} `json:"ui"`
			} `json:"_meta"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, nil, fmt.Errorf("the result of resources/read: %w", err)
	}
	if len(r.Contents) != 1 {
		return nil, nil, fmt.Errorf("%s has %d contents, want 1", t.Meta.UI.URI, len(r.Contents))
	}
	c := r.Contents[0]
	if kind := strings.ReplaceAll(c.Type, " ", ""); kind != mcp.UIMIMEType {
		return nil, nil, fmt.Errorf("%s has the MIME type %q, want %s", t.Meta.UI.URI, c.Type, mcp.UIMIMEType)
	}
	if c.Text != nil {
		return []byte(*c.Text), c.Meta.UI.CSP, nil
	}
	html, err = base64.StdEncoding.DecodeString(c.Blob)
	return bytes.TrimPrefix(html, []byte("\xef\xbb\xbf")), c.Meta.UI.CSP, err
}
