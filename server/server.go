package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// ErrNoProject is the error of Open if there is no project.
var ErrNoProject = catalog.ErrNone

// ErrClosed is the error of Serve after Close.
var ErrClosed = errors.New("the server is closed")

// errRunEnded is the reason why a task fails when its server is closed; other replicas report it.
var errRunEnded = errors.New("the server has ended")

// A Server serves one project to any number of clients. It holds everything they share: the project
// and the watch over it, compiled schemas, and the slots for running scripts. Its methods may be
// called from several goroutines.
type Server struct {
	options Options
	log     *slog.Logger
	state   string
	folder  *statedir.Dir // the same
	project *served       // nil: there is none, which why explains
	why     string
	rounds  *handlers.Rounds

	leaveCluster func()                  // nil if it was not joined
	endRuns      context.CancelCauseFunc // of rounds
	forward      *forwarding
	gates        *handlers.Gates   // of tools with limited concurrency
	slots        *middleware.Slots // for the scripts of all sessions
	memory       *handlers.Memory  // of the calls of all sessions

	runner     *process.Runner
	context    context.Context // of all work outside of sessions
	cancel     context.CancelFunc
	background sync.WaitGroup // goroutines that Close waits for

	mu       sync.Mutex
	sessions map[*session]struct{} // being served
	serving  sync.WaitGroup        // counts them
	closed   bool

	beginning sync.Once // see begin
	ending    sync.Once
	ended     error // of Close; written by ending
}

// Open finds a project and returns a server for it. The project is read and watched as soon as the
// first client has its first answer, or after a moment without a client. Broken parts of it are
// left out, logged, and reported to clients; the error is ErrNoProject, or describes what is wrong
// with the folder or with the options.
//
// When ctx is done all sessions end, with its cause, and nothing is watched any more. Close must be
// called nevertheless.
func Open(ctx context.Context, o Options) (*Server, error) {
	root, err := find(o.ProjectRoot)
	if err != nil {
		return nil, err
	}
	o.ProjectRoot = root
	s, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	p, err := s.openProject()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.project = p
	if err := s.join(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	time.AfterFunc(silence, s.begin)
	return s, nil
}

// GettingStarted returns a server without a project, whose only tool explains how to create a
// project. why is the reason why there is none, a sentence that clients show.
func GettingStarted(ctx context.Context, why string, o Options) (*Server, error) {
	o.ProjectRoot = ""
	s, err := prepare(ctx, o)
	if err == nil {
		s.rounds.Tasks = nil // they are not offered
		s.why = why
		time.AfterFunc(silence, s.begin)
		s.looked(Offer{Tools: 1})
	}
	return s, err
}

// prepare returns a server that offers nothing yet.
func prepare(ctx context.Context, o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	o = o.resolved()
	if o.Minimal {
		o.Log.Warn(minimalMode)
	}
	state, err := stateFolder(o.StateDir)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, log: o.Log, state: state.Path, folder: state,
		runner: &process.Runner{Limits: o.Limits.Scripts, Guard: o.Guard, Cgroup: o.Cgroup}, gates: &handlers.Gates{},
		sessions: make(map[*session]struct{})}
	s.forward = &forwarding{server: s}
	s.slots = middleware.NewSlots(o.Limits.Calls, backlog)
	s.memory = handlers.NewMemory(o.Limits.Memory)
	s.context, s.cancel = context.WithCancel(ctx)
	var runs context.Context
	runs, s.endRuns = context.WithCancelCause(s.context)
	s.rounds = newRounds(runs, o, s.log)
	return s, nil
}

// minimalMode is logged as a warning: clients see a server that works and offers nothing.
const minimalMode = "MINIMAL MODE: only the lifecycle, ping and logging/setLevel are served; tools, resources, " +
	"prompts, completion, subscriptions and tasks are missing, and calls of them get -32601; unset " +
	"MCPBASH_FORCE_MINIMAL to serve them"

// looked calls [Options.Looked] with what is offered.
func (s *Server) looked(offer Offer) {
	offer.Project, offer.Page = s.Root(), catalog.PageSize(s.options.Limits.Page)
	if s.options.Looked != nil {
		s.options.Looked(offer)
	}
}

// find returns the project's folder: root, or the one that contains the working directory.
func find(root string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		here = string(os.PathSeparator)
	}
	return catalog.Find(root, here)
}

// stateFolder returns a private folder: its absolute path, for tools run elsewhere.
func stateFolder(given string) (*statedir.Dir, error) {
	if given != "" {
		path, err := filepath.Abs(given)
		return &statedir.Dir{Path: path}, err
	}
	made, err := statedir.Make("")
	if err != nil {
		return nil, fmt.Errorf("no folder for temporary files: %w", err)
	}
	return made, nil
}

// Serve serves one client until its stream ends, and returns when nothing that was started for it
// runs any more. Any number of sessions can be served at once. The error is that of
// [pipeline.Pipeline.Run]: nil after the end of input and after Close, or ErrClosed if the server
// was closed before.
//
// When ctx is done the session ends: running calls are cancelled. The stream is closed in any case.
func (s *Server) Serve(ctx context.Context, stream jsonrpc2.ObjectStream) error {
	session := s.newSession(stream)
	if !s.enter(session) {
		stream.Close()
		return ErrClosed
	}
	defer s.leave(session)
	session.notices.prepend(s.forward.first())
	defer context.AfterFunc(s.context, func() { session.pipeline.Stop(context.Cause(s.context)) })()
	err := session.serve(ctx)
	if s.options.Ended != nil {
		s.options.Ended(session.pipeline.Why())
	}
	return err
}

func (s *Server) enter(sess *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.sessions[sess] = struct{}{}
	s.serving.Add(1)
	return true
}

func (s *Server) leave(sess *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, sess)
	s.serving.Done()
}

// each calls f for every session.
func (s *Server) each(f func(*session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sess := range s.sessions {
		f(sess)
	}
}

// scriptGrace is how long scripts have to end by themselves when the server is closed: clients kill
// a server that has not exited two seconds after they asked.
const scriptGrace = 500 * time.Millisecond

// Root returns the folder of the project that is served; "" without one.
func (s *Server) Root() string { return s.options.ProjectRoot }

// Load returns how many scripts of calls may run at once, how many calls have a slot for it, and how many wait for one.
func (s *Server) Load() (slots, working, waiting int) {
	working, waiting = s.slots.Load()
	return s.options.Limits.Calls, working, waiting
}

// Close ends all sessions and returns when nothing of the server is left: no script, no goroutine,
// no temporary file. It may be called more than once; each call waits until that is done.
func (s *Server) Close() error {
	s.ending.Do(func() { s.ended = s.end() })
	return s.ended
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Server) end() error {
	s.mu.Lock()
	s.closed = true
	for sess := range s.sessions {
		sess.pipeline.Stop(nil)
	}
	s.mu.Unlock()
	s.endRuns(errRunEnded)
	s.cancel()
	s.beginning.Do(func() {}) // it will not begin, or has begun
	err := s.runner.Close(scriptGrace)
	s.serving.Wait()
	s.rounds.Close()
	if s.leaveCluster != nil {
		s.leaveCluster()
	}
	s.background.Wait()
	if p := s.project; p != nil {
		p.Project.Close()
		p.rules.Close()
		err = errors.Join(err, p.runtime.Close())
	}
	if s.options.StateDir != "" {
		return err
	}
	return errors.Join(err, s.folder.Remove())
}

// silence is how long a server waits for the first message of a client before it begins
// without one.
const silence = 100 * time.Millisecond

// begin starts, once, the work that no client should wait for when it connects: the first look at
// the project, the watch, and [Options.Begin]. It is called after the answer to a handshake, which
// so has the processor for itself, and before anything else that may run a script.
func (s *Server) begin() {
	s.beginning.Do(func() {
		if s.isClosed() {
			return
		}
		rests := []func(context.Context){}
		if s.options.StateDir == "" {
			s.folder.Claim() // before anything is put in it
			rests = append(rests, func(ctx context.Context) { statedir.Sweep(ctx, "") })
		}
		if s.options.Begin != nil {
			if rest := s.options.Begin(); rest != nil {
				rests = append(rests, rest)
			}
		}
		if p := s.project; p != nil {
			p.adopt()
			s.spawnUnlessEnded(p.settle)
			p.watch()
		}
		for _, rest := range rests {
			s.spawnUnlessEnded(func() { rest(s.context) })
		}
	})
}

// beginOnRequest wraps next, the handler behind the stages, so that it calls begin at the right
// time.
func (s *Server) beginOnRequest(next pipeline.Handler) pipeline.Handler {
	return func(ctx context.Context, m *pipeline.Message) (*pipeline.Message, error) {
		if m.Method() == "initialize" {
			pipeline.Afterwards(ctx, func(context.Context) { s.begin() })
		} else {
			s.begin()
		}
		return next(ctx, m)
	}
}

// adopt makes the runner find what scripts leave behind, before it runs the first.
func (p *served) adopt() {
	s := p.server
	if !s.options.AdoptOrphans {
		return
	}
	err := s.runner.Adopt()
	if err != nil {
		s.log.Debug("cannot end processes that leave their session", "error", err)
	}
	p.runtime.Reuse = err == nil && goruntime.GOOS == "linux" // elsewhere a daemon may outlive its call
}

// settle determines the variables that scripts get: they describe the server as it was when it
// started.
func (p *served) settle() {
	p.runtime.Env()
	p.runtime.Others()
}

// spawnUnlessEnded starts f in a goroutine that Close waits for, unless the server has ended before
// f could start.
func (s *Server) spawnUnlessEnded(f func()) {
	s.background.Go(func() {
		if s.context.Err() == nil {
			f()
		}
	})
}

// A served project is an open project with everything that runs its scripts. Sessions share it.
type served struct {
	*catalog.Project
	server      *Server
	runtime     *run.Runtime
	reader      reader
	policy      *hooks.Policy
	rules       *rules.Rules
	lends       func() bool // see [served.lendsNow]; decided once
	roots       []roots.Root
	watcher     *watch.Watcher
	diagnostics *diagnostics
	pages       *handlers.Pages // of its lists, which are the same for all sessions
}

// openProject opens the project and sets up what runs its scripts.
func (s *Server) openProject() (*served, error) {
	o, runner := s.options, s.runner
	jq := jq.NewLinks(o.Program, filepath.Join(s.state, "bin"))
	runner.Before = jq.Keep(func(err error) { s.log.Warn("scripts that call jq will not find it", "error", err) })
	bash := sync.OnceValue(func() string { return process.Bash(o.Environ) })
	toolEnv := sync.OnceValue(func() []string { return jq.Give(o.toolEnvironment()) })
	hook := hooks.Host{
		Rules: hooks.Rules{Allowed: o.Policy.Hooks.Others()}, Runner: runner, Bash: bash,
		Env: func() []string { return process.With(o.HookEnv, toolEnv()...) },
	}
	served := &served{server: s}
	var err error
	served.Project, err = catalog.Open(o.ProjectRoot,
		o.project(hook, s.state, slog.New(s.forward.handler(s.log.Handler()))))
	if err != nil {
		return nil, err
	}
	served.pages = &handlers.Pages{Looks: served.Looks}
	about := sync.OnceValue(func() []string { return append(serverVariables(served.Project, o), o.ProjectEnv...) })
	served.runtime = &run.Runtime{
		Runner: runner,
		Root:   served.Root(),
		State:  s.state,
		Env:    sync.OnceValue(func() []string { return process.With(toolEnv(), about()...) }),
		Others: sync.OnceValue(func() []string {
			folder := "MCPBASH_PROVIDERS_DIR=" + o.providersFolder(served.Root())
			return process.With(jq.Give(o.environment(o.ProviderEnv)), append(slices.Clip(about()), folder)...)
		}),
		Hint:    o.hint(o.ToolEnv, "MCPBASH_TOOL_ENV"),
		Advice:  o.hint(o.ProviderEnv, "MCPBASH_PROVIDER_ENV"),
		Schemas: &run.Schemas{},
		Limits: run.Limits{
			Timeout:          o.Limits.ToolTimeout,
			Extended:         o.Limits.ToolTimeoutMax,
			ExtendOnProgress: o.Limits.ExtendTimeout,
			Output:           o.Limits.ToolOutput,
			StderrTail:       o.Limits.StderrTail,
			Inline:           o.Limits.Arguments,
		},
		Stderr:  o.ToolStderr,
		Log:     s.log,
		Program: o.Program,
		CageAll: o.Sandbox,
		Strict:  o.StrictArguments,
		KeepCR:  o.KeepCR,
		Keep:    o.KeepCalls,
		SDK:     &sdk.Server{Log: s.log, Downloads: o.HTTPS},
		Home:    installHome(filepath.Join(s.state, "home"), o.Program),
	}
	if o.Trace != nil {
		served.runtime.Note = pipeline.Note
	}
	served.reader = newReader(served.Project, providerRun(served.runtime.Script), providerRun(served.runtime.Run), o)
	served.policy = o.policy(served.Project, served.runtime, bash)
	served.rules, served.lends = served.newRules(o.Policy.Hooks.Guards()), sync.OnceValue(served.lendsNow)
	served.diagnostics = &diagnostics{project: served.Project, allowed: served.policy, looked: make(chan struct{})}
	served.roots = roots.Fallback(served.Root(), o.Roots,
		func() []roots.Root { return listedRoots(served.Project, s.log) }, s.log)
	served.watcher = watch.New(watch.Options{
		Digest:   served.reader.digest,
		Gone:     gone,
		Changes:  served.reader.changes,
		Interval: o.Limits.Poll,
		Log:      s.log,
	})
	s.rounds.Project = served.Root()
	return served, nil
}

// listedRoots returns the folders that the project lists for its tools, and logs what is wrong with
// the list.
func listedRoots(p *catalog.Project, log *slog.Logger) []roots.Root {
	found, faults := p.Roots()
	for _, f := range faults {
		log.Warn(f.String())
	}
	return found
}

// providerRun runs commands for providers.
func providerRun(start func(context.Context, run.Command) (run.Output, error)) providers.Run {
	return func(ctx context.Context, c providers.Command) (providers.Output, error) {
		out, err := start(ctx, run.Command(c))
		return providers.Output(out), err
	}
}
