package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/remote"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/internal/wrap"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Wrapping says which server of somebody else is served, and what of it clients get. Only Command or URL is required.
type Wrapping struct {
	// Command is the program and its arguments. The program is found as a shell finds it, started for each
	// client, and gets all of [Options.Environ].
	Command []string
	// URL is that of a server which is spoken with over Streamable HTTP instead, in a session for each client. Token
	// returns the bearer token for each request; nil: there is none.
	URL   string
	Token func() (string, error)
	// Stderr gets what the program writes to stderr, and LastWords is how many bytes of its end clients are told if
	// the program ends before they leave. Nil: it is dropped.
	Stderr    io.Writer
	LastWords int
	// Dialect is the protocol that it speaks. Nil: [pipeline.MCP].
	Dialect *pipeline.Dialect
	// ContentLength is set if it frames messages as language servers do: [pipeline.NewContentLength]. Otherwise
	// they are lines.
	ContentLength bool

	// Allow and Deny are patterns for the tools that clients see and may call: those that a pattern of Allow
	// matches, or all if there are none, and no pattern of Deny. A star matches anything, slashes too.
	Allow, Deny []string
	// Pins is the file in which the definitions of tools, prompts and resources are kept as they were first listed:
	// what changes later is withheld; see docs/WRAP.md. Empty: none.
	Pins string
	// Interceptors is a folder of interceptors, or of a project that has some: what passes is changed and refused by
	// them as on a client's side. Empty: none.
	Interceptors string
	// Restart: when the program has ended before its client, the next call starts it again, at most a few times a
	// minute, and repeats the handshake; calls that it had not answered end with an error. Otherwise the session ends.
	Restart bool
	// Timeout ends a call that takes longer, and cancels it at the program. 0: it decides, until the client's stream has
	// ended; then calls have the ToolTimeout of the limits.
	Timeout time.Duration
}

// Wrapped is a server of somebody else behind the same stages as a project. Its methods may be called from several
// goroutines.
type Wrapped struct {
	program wrap.Server
	o       Options
	timeout time.Duration
	own     []pipeline.Middleware // inside the standard stages; sessions share them
	*ending
}

// An ending is what all that was wrapped by one call of Wrap has in common.
type ending struct {
	context context.Context
	cancel  context.CancelFunc
	runner  *process.Runner
	folder  *statedir.Dir // nil if there is none to remove
	rules   *rules.Rules  // nil if there are none

	mu       sync.Mutex
	closed   bool
	sessions sync.WaitGroup // none is added when it is closed
	once     sync.Once
}

// Wrap returns a server that somebody else wrote, to be served with the stages, limits, logs and records that o has for
// a project. All else in o is about projects, and ignored. Banners and logs on the program's stdout do not reach
// clients, and never end a session. Valid messages pass byte for byte and in the order of their writer, both ways.
//
// When ctx is done all sessions end. Close must be called in the end.
func Wrap(ctx context.Context, w Wrapping, o Options) (*Wrapped, error) {
	switch elsewhere := w.URL != ""; {
	case (len(w.Command) > 0) == elsewhere:
		return nil, errors.New("server.Wrapping: set one of Command and URL")
	case elsewhere && w.ContentLength, !elsewhere && w.Token != nil:
		return nil, errors.New("server.Wrapping: ContentLength is for a Command, Token is for a URL")
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	o = o.resolved()
	program, err := w.server(o)
	if err != nil {
		return nil, err
	}
	tools := wrap.Tools{Allow: w.Allow, Deny: w.Deny}
	if err := tools.Check(); err != nil {
		return nil, err
	}
	s := &Wrapped{program: program, o: o, timeout: w.Timeout, own: []pipeline.Middleware{tools.Stage()}, ending: &ending{
		runner: &process.Runner{Guard: o.Guard},
	}}
	s.program.Runner = s.runner
	s.context, s.cancel = context.WithCancel(ctx)
	if o.AdoptOrphans {
		if err := s.runner.Adopt(); err != nil {
			o.Log.Debug("cannot end processes that leave their session", "error", err)
		}
	}
	if w.Pins != "" {
		pins, err := wrap.OpenPins(w.Pins, o.Log)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("pins: %w", err), s.Close())
		}
		s.own = append(s.own, pins.Stage())
	}
	if w.Interceptors != "" {
		if err := s.intercept(w.Interceptors); err != nil {
			return nil, errors.Join(fmt.Errorf("interceptors: %w", err), s.Close())
		}
	}
	return s, nil
}

// server returns the server that is described.
func (w Wrapping) server(o Options) (wrap.Server, error) {
	s := wrap.Server{ContentLength: w.ContentLength, MaxMessage: o.Limits.Message, LastWords: w.LastWords,
		Restart: w.Restart,
		Dialect: relayed(w.Dialect), Trace: o.Trace, Log: o.Log}
	if w.Timeout == 0 {
		s.Drain = max(o.Limits.ToolTimeout, 0)
	}
	if w.URL != "" {
		s.Remote = &remote.Server{URL: w.URL, Token: w.Token, MaxMessage: o.Limits.Message,
			Agent: "mcp-bash/" + Version, Log: o.Log}
		return s, s.Remote.Check()
	}
	var err error
	s.Command, err = wrap.Find(w.Command)
	s.Command.Env, s.Command.Stderr = slices.Clip(o.Environ), w.Stderr
	return s, err
}

// intercept opens the interceptors of a folder.
func (s *Wrapped) intercept(dir string) error {
	state, err := stateFolder(s.o.StateDir)
	if err != nil {
		return err
	}
	if s.o.StateDir == "" {
		s.folder = state
	}
	links := jq.NewLinks(s.o.Program, filepath.Join(state.Path, "bin"))
	linked := links.Keep(func(err error) { s.o.Log.Warn("scripts that call jq will not find it", "error", err) })
	env := sync.OnceValue(func() []string { return process.With(s.o.HookEnv, links.Give(s.o.toolEnvironment())...) })
	s.rules, err = wrap.Interceptors(s.context, dir, rules.Options{
		Host: interceptor.Host{
			Rules:  hooks.Rules{Allowed: s.o.Policy.Hooks.Guards()},
			Runner: s.runner,
			Env:    func() []string { linked(); return env() },
		},
		Log:  s.o.Log,
		Told: s.o.Intercepted,
	})
	return err
}

func relayed(d *pipeline.Dialect) pipeline.Dialect {
	if d == nil {
		d = &pipeline.MCP
	}
	dialect := *d
	dialect.Relayed = true
	return dialect
}

// Serve starts the program and serves it to one client until the client's stream or the program ends. Then the program
// and all processes that it has started have ended, too. Any number of clients can be served at once. The error is that
// of [pipeline.Pipeline.Run], or says why the program could not be started, or how it has ended before its client left.
func (s *Wrapped) Serve(ctx context.Context, client jsonrpc2.ObjectStream) error {
	if !s.enter() {
		client.Close()
		return ErrClosed
	}
	defer s.sessions.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.context, func() { cancel(context.Cause(s.context)) })()
	return s.program.Serve(ctx, client, s.chain())
}

func (e *ending) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.sessions.Add(1)
	}
	return !e.closed
}

// Uncounted returns the same server for sessions that several clients share: their calls in a minute are not limited.
// Close of one closes both.
func (s *Wrapped) Uncounted() *Wrapped {
	shared := *s
	shared.o.Limits.Requests = 0
	return &shared
}

func (s *Wrapped) chain() []pipeline.Middleware {
	stages := append(wrappedStages(s.program.Dialect, s.timeout, s.o), s.own...)
	if s.rules != nil { // a stage for each session, which interceptors tell apart
		stages = append(stages, interceptor.Stage(interceptor.Sending, s.rules.Current))
	}
	if s.o.Chain != nil {
		stages = s.o.Chain(stages)
	}
	return stages
}

// wrappedStages returns the standard stages in front of a server that somebody else wrote.
func wrappedStages(dialect pipeline.Dialect, timeout time.Duration, o Options) []pipeline.Middleware {
	settings := middleware.Settings{
		Dialect:    dialect,
		Log:        o.Log,
		Record:     middleware.Recording{To: o.Record, Version: Version},
		MaxMessage: o.Limits.Message,
		Trip:       middleware.Trip{Never: true}, // many programs write a banner
		Token:      o.Secret,
		Rates: middleware.Rates{
			Calls:    o.Limits.Requests,
			Progress: o.Limits.Progress,
			Logs:     o.Limits.Logs,
			Counted:  func(method string) bool { return method != "ping" },
		},
		Calls:   o.Calls,
		Logged:  func(m *pipeline.Message) bool { return m.Method() != "ping" },
		Observe: o.Observe,
	}
	if timeout > 0 {
		settings.Limit = func(*pipeline.Message) time.Duration { return timeout }
	}
	return middleware.Standard(settings)
}

// WrappedStages returns the stages in front of a server that somebody else wrote, for display, as [Stages] does for a
// project.
func WrappedStages(o Options) []pipeline.Middleware {
	stages := wrappedStages(relayed(nil), 0, o.resolved())
	for _, own := range [][2]string{
		{"tools", "--allow and --deny"},
		{"pin", "--pin"},
		{"interceptors", "--interceptors"},
	} {
		stages = append(stages, pipeline.Middleware{Name: own[0], About: func() string { return "set by " + own[1] }})
	}
	return stages
}

// resolved returns the options with the defaults that every server needs.
func (o Options) resolved() Options {
	o.Limits = o.Limits.Resolved()
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// lastOfWrapped is how long programs may take to end at each step of Close: by themselves, and after TERM. A client
// that has sent a signal expects the end within a second.
const lastOfWrapped = 300 * time.Millisecond

// Close ends all sessions and their programs, and returns when nothing is left. It may be called more than once.
func (e *ending) Close() (err error) {
	e.once.Do(func() {
		e.mu.Lock()
		e.closed = true
		e.mu.Unlock()
		e.cancel()
		hurry := time.AfterFunc(lastOfWrapped, func() { _ = e.runner.Close(lastOfWrapped) })
		defer hurry.Stop()
		e.sessions.Wait()
		if e.rules != nil {
			e.rules.Close()
		}
		err = e.runner.Close(lastOfWrapped)
		if e.folder != nil {
			err = errors.Join(err, e.folder.Remove())
		}
	})
	return err
}
