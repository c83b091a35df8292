package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/serving"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/auth"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/legacy"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/metrics"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/origin"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/session"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/slow"
	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/streamable"
	"github.com/mcp-bash/mcp-bash/v2/internal/limit"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// patience is how long a client may send or read nothing while it should.
const patience = 30 * time.Second

// lastWords is how long clients may take to read the errors of their calls when the server does not wait for them.
const lastWords = time.Second

// newLog returns the log that the variables ask for.
func newLog(stderr io.Writer, environ []string) (log *slog.Logger, done func()) {
	settings, _ := operator.Read(operator.Map(environ))
	return serving.Log(settings, stderr)
}

// run serves until ctx is done.
func (o options) run(ctx context.Context, stdout, stderr io.Writer, environ []string) error {
	if err := o.check(); err != nil {
		return usageError{err}
	}
	serving.AddThread(operator.Map(environ)["GOMAXPROCS"] != "")
	if o.worker {
		logger, logged := newLog(stderr, environ)
		defer logged()
		return o.work(ctx, stderr, environ, logger)
	}
	logger, logged := newLog(stderr, environ)
	defer logged()
	guard, resource, err := o.guard(ctx, logger)
	if err != nil {
		return usageError{err}
	}
	if !origin.Loopback(o.listen) && guard == nil && !o.trustNetwork {
		return usageError{fmt.Errorf("--listen %s: other machines could use it; give --token-file or --oauth-issuer, or "+
			"an address of this machine alone, as 127.0.0.1:8080; or --trust-network, if only a gateway can reach it that "+
			"checks who calls", o.listen)}
	}
	proxies, err := auth.ParseProxies(o.proxies)
	if err != nil {
		return usageError{err}
	}
	pages, err := o.pages()
	if err != nil {
		return usageError{err}
	}
	secure, err := o.tls(logger)
	if err != nil {
		return usageError{err}
	}
	counted := metrics.New(server.Version)
	var sent func()
	if o.telemetry, sent, err = o.startTelemetry(ctx, environ, counted, logger); err != nil {
		return usageError{err}
	}
	defer sent()
	settings, _ := operator.Read(operator.Map(environ))
	audit, err := o.openAudit(stdout, settings.Secret.Token, proxies, logger)
	if err != nil {
		return usageError{err}
	}
	observe := middleware.CallObserver(counted.Call)
	if audit != nil {
		defer audit.close()
		observe, counted.Refused = middleware.Observers(observe, audit.call), audit.refused
		if o.useWorkers {
			o.placed, audit.workers = audit.step, new(sync.Map)
		}
	}
	o.counted, o.intercepted = counted, counted.Intercepted
	what, err := o.open(ctx, stderr, environ, observe, logger)
	if err != nil {
		return usageError{err}
	}
	defer what.close()
	if !o.production {
		fmt.Fprintf(stderr, "mcp-http: %s\n", demo)
	}
	var config net.ListenConfig
	config.SetMultipathTCP(false) // noNew needs a plain socket
	listener, err := config.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return usageError{fmt.Errorf("--listen %s: %w", o.listen, err)}
	}
	s := o.assemble(what, pages, proxies, guard, resource, counted, logger)
	defer s.close()
	stop, err := o.serveFigures(counted, s.health(nil), s.health(what.unready), logger)
	if err != nil {
		return usageError{err}
	}
	defer stop()
	logger.Info("serving", append([]any{"url", o.scheme() + "://" + listener.Addr().String() + "/mcp", "what", what.name},
		o.terms(what.cluster)...)...)
	if secure != nil {
		return s.serve(ctx, listener, tls.NewListener(listener, secure), o.grace)
	}
	return s.serve(ctx, listener, listener, o.grace)
}

// terms returns under which terms it serves, in words for the line at the start.
func (o options) terms(cluster string) (words []any) {
	callers := "this machine, without a token"
	switch {
	case o.tokenFile != "":
		callers = "tokens of " + o.tokenFile
	case o.oauthIssuer != "":
		callers = "tokens of " + o.oauthIssuer
	case o.trustNetwork:
		callers = "all that the network lets in"
	}
	words = []any{"callers", callers, "sessions", o.maxSessions, "requests", o.maxRequests}
	if cluster != "" {
		words = append(words, "cluster", cluster, "replica", o.replicaName(), "workers", o.useWorkers)
	}
	return words
}

func (o options) scheme() string {
	if o.tlsCert != "" {
		return "https"
	}
	return "http"
}

// guard returns the middleware that authorizes requests, nil if all are allowed, and the OAuth
// resource if there is one.
func (o options) guard(ctx context.Context, log *slog.Logger) (func(http.Handler) http.Handler, *auth.OAuth, error) {
	switch {
	case o.tokenFile != "":
		tokens, err := auth.OpenTokens(o.tokenFile, log)
		if err != nil {
			return nil, nil, fmt.Errorf("--token-file %s: %w", o.tokenFile, err)
		}
		return tokens.Require, nil, nil
	case o.oauthIssuer != "":
		resource, err := auth.NewOAuth(ctx, auth.Resource{
			Issuer: o.oauthIssuer, JWKS: o.oauthJWKS, URL: o.oauthResource, Audience: o.oauthAudience, Scopes: o.oauthScopes,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("--oauth-issuer: %w", err)
		}
		return resource.Require, resource, nil
	}
	return nil, nil, nil
}

// pages returns the policy for the Origin and Host headers.
func (o options) pages() (origin.Policy, error) {
	hosts := o.allowHosts
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return origin.Policy{}, fmt.Errorf("--listen %s: must be an address and a port, as in 127.0.0.1:8080", o.listen)
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		hosts = append(hosts, host)
	}
	return origin.Parse(o.allowOrigins, hosts)
}

// A web is the HTTP side of the server.
type web struct {
	handler  http.Handler
	sessions *session.Table
	ending   context.Context // done when the server is asked to end
	end      context.CancelFunc
	giveUp   context.CancelCauseFunc // answers all open calls with the cause
	log      *slog.Logger
}

// assemble builds the HTTP side.
func (o options) assemble(
	what *served, pages origin.Policy, proxies auth.Proxies, guard func(http.Handler) http.Handler, resource *auth.OAuth,
	counted *metrics.Metrics, logger *slog.Logger,
) *web {
	maxBody := o.maxBody
	if what.maxMessage > 0 {
		maxBody = min(maxBody, what.maxMessage)
	}
	s := &web{log: logger}
	limits := session.Limits{Exchanges: 256, Buffer: o.maxBuffer, Keep: o.keep}
	limits.Until, s.giveUp = context.WithCancelCause(context.Background())
	s.ending, s.end = context.WithCancel(context.Background())
	rate := session.NewRate(what.maxCalls)
	places := limit.NewShares("sessions are open", o.maxSessions, o.callerSessions)
	s.sessions = &session.Table{Opener: what.sessions, Limits: limits, Places: places, Idle: o.idle,
		Replica: o.replicaName(), Log: logger}
	old := &legacy.Handler{
		Opener: what.sessions, Messages: "/messages", MaxBody: maxBody, Buffer: o.maxBuffer,
		KeepAlive: o.keepAlive, Places: places, Rate: rate, Owner: auth.User, Replica: o.replicaName(), Ending: s.ending,
		Until: limits.Until, Log: logger,
	}
	counted.Gauge("mcp_http_sessions_open", "Sessions that are open.",
		func() int { return s.sessions.Count() + old.Count() })
	s.sessions.Ended, old.Overloaded = counted.SessionEnded, counted.Overload
	streams := &streamable.Handler{
		Sessions: s.sessions, Stateless: what.stateless, Limits: limits, Rate: rate,
		MaxBody:     maxBody,
		StreamAfter: o.streamAfter, KeepAlive: o.keepAlive, Retry: time.Second,
		Schema: what.schema, Owner: auth.User, Resumed: counted.Resumed, Overloaded: counted.Overload, Ending: s.ending,
		Log: logger,
	}
	figures := pages.Handler(counted.Handler())
	if guard == nil {
		guard = func(next http.Handler) http.Handler { return next }
	} else { // no page has the token, and Prometheus names addresses too
		figures = guard(counted.Handler())
	}
	requests := limit.NewShares("requests are open", o.maxRequests, o.maxRequests)
	ofCallers := limit.NewShares("requests are open", o.maxRequests, o.callerRequests)
	bodies := limit.NewShares("bytes of messages are held", o.maxBodies, max(maxBody, o.maxBodies/4))
	mux := http.NewServeMux()
	endpoint := func(path, name string, h http.Handler) {
		mux.Handle(path, counted.Count(name, limited(requests, counted, pages.Handler(guard(
			limited(ofCallers, counted, measured(bodies, counted, proxies.Identify(h))))))))
	}
	endpoint("/mcp", "mcp", streams)
	endpoint("/sse", "sse", http.HandlerFunc(old.Stream))
	endpoint("/messages", "messages", http.HandlerFunc(old.Post))
	if o.metricsListen == "" {
		mux.Handle("/metrics", counted.Count("metrics", figures))
	}
	mux.HandleFunc("/healthz", s.health(nil)) // probes name an address of the machine, or no host
	mux.HandleFunc("/readyz", s.health(what.unready))
	if resource != nil {
		handler, paths := resource.Metadata()
		for _, path := range paths {
			mux.Handle(path, handler)
		}
	}
	s.handler = slow.Handler(patience, mux)
	if counted.Refused != nil {
		s.handler = auth.Remember(s.handler)
	}
	return s
}

// health responds whether the server can serve requests.
func (s *web) health(unready func() string) http.HandlerFunc {
	return health(func() bool { return s.ending.Err() != nil }, unready)
}

// health responds whether a server can serve requests: it is not ending, and not unready.
func health(ending func() bool, unready func() string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		why := ""
		if ending() {
			why = "ending"
		} else if unready != nil {
			why = unready()
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if why != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintln(w, cmp.Or(why, "ok"))
	}
}

// serve serves requests until ctx is done; open requests may take the grace period after that. Connections begin
// at socket, and listener hands them over.
func (s *web) serve(ctx context.Context, socket, listener net.Listener, patience time.Duration) error {
	hard, cancel := context.WithCancel(context.Background())
	defer cancel()
	h := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return hard },
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() {
		failed <- h.Serve(listener)
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.log.Info("ending: open requests are answered", "for", patience)
	s.end()
	noNew(socket)
	grace, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	err := h.Shutdown(grace)
	if err != nil {
		s.giveUp(fmt.Errorf("the server is ending, and the call took longer than the %v that it waits for calls", patience))
		last, stop := context.WithTimeout(context.Background(), lastWords)
		defer stop()
		err = h.Shutdown(last)
	}
	if err != nil {
		cancel()
		if err := h.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
	}
	s.log.Info("ended")
	return nil
}

func (s *web) close() {
	s.end()
	s.giveUp(nil)
	s.sessions.Close()
}
