package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// Options configure how a project is served. The zero value serves the project that the working
// directory is in, with the default [Limits], and passes no variable of the process to its scripts.
// Nothing here is read from the environment: `mcp-bash serve` sets the fields from variables, see
// docs/ENVIRONMENT.md.
type Options struct {
	// ProjectRoot is the project's folder. Empty: the nearest folder with a project, from the
	// working directory upwards.
	ProjectRoot string
	Folders     Folders
	// Identity describes the server where the project's metadata does not.
	Identity Identity
	// Static serves lists as Folders.Registry keeps them, without looking at the
	// project.
	Static bool

	// StateDir is a private folder for the files of running calls, which is kept when the server is
	// closed. Empty: a folder is created in the folder for temporary files, and removed by Close.
	StateDir string
	// KeepCalls keeps the files of each call in StateDir, for debugging.
	KeepCalls bool
	// Program is the path of the mcp-bash program, which scripts call as jq if none is installed.
	// Empty: scripts find the installed jq or none.
	Program string
	// Guard is a command that calls [Guard] with the arguments that are appended to it, and so ends
	// the running scripts when this process is killed. It is started before the first script. Nil:
	// running scripts outlive a server that is killed, except on Windows.
	Guard []string
	// Cgroup is a folder of cgroups (Linux) for this server alone, in which each script gets its
	// own. Empty: none.
	Cgroup string
	// AdoptOrphans ends processes that a script leaves behind even when they leave its session. It
	// makes this process the parent of all its orphaned descendants (Linux only), so at most one
	// server of a process can set it, and all children of the process should belong to that server.
	AdoptOrphans bool

	// Sandbox runs every tool without a sandbox setting, or with the setting none, in the sandbox
	// that its annotations suggest. A tool whose sandbox the system cannot provide is refused.
	Sandbox bool

	// Environ is the environment, as NAME=value, of which scripts see a part; see ToolEnv and
	// ProviderEnv. Nil: scripts have a PATH and nothing else.
	Environ []string
	// ToolEnv selects the part that tools see, ProviderEnv the part that providers, prompt scripts
	// and completion scripts see.
	ToolEnv, ProviderEnv Visibility
	// Secrets name variables of Environ that no script sees, Settings those that a
	// script sees only where a Visibility names them.
	Secrets, Settings []string
	// ProjectEnv are additional variables of all scripts of the project, as NAME=value, and HookEnv
	// those of its hooks.
	ProjectEnv, HookEnv []string
	// ToolStderr also receives what tools write to stderr. Nil: it is not copied.
	ToolStderr io.Writer

	Policy Policy
	Limits Limits
	// HTTPS are the hosts that https: resources and downloads may come from, Git those of
	// git+https: resources, which are disabled unless GitEnabled is set. The zero values allow
	// none.
	HTTPS, Git Hosts
	GitEnabled bool
	UserAgent  string // of downloads; empty: mcp-bash
	// ResourceRoots are the folders whose files can be read as resources. Nil:
	// Roots, else Folders.Resources.
	ResourceRoots []string
	// Roots are the folders that tools work in if the client names none. Nil: those of
	// config/roots.json, else the project.
	Roots []string

	// Secret is the secret that every call must contain; see [middleware.Token]. The zero value
	// requires none; a token has at least [middleware.MinSecret] characters.
	Secret middleware.Secret
	// StateKeyFile contains the key that protects the state that clients of stateless revisions
	// keep for the server. Empty: a file in the user's configuration folder.
	StateKeyFile string
	// Cluster is the state that this server shares with its replicas on other machines: which
	// request states were used, and which replica runs which task. All of them must serve copies of
	// the same project at the same path, with the same key in StateKeyFile. The server joins and
	// leaves the cluster, and does not close it. Nil: the server has no replicas.
	Cluster Cluster
	// Runner runs the tools. Its calls take no slot of this server. Nil: this process runs them.
	Runner Runner
	// Batches accepts arrays of messages in every revision.
	Batches bool
	// Minimal serves nothing but the lifecycle, ping and logging.
	Minimal bool
	// Collected delays the progress and logs of a call until just before its result.
	Collected bool
	// StrictArguments refuses arguments of other types than their schema names, even where they spell a value
	// of it, as "5" does for a number.
	StrictArguments bool

	// LendInterceptors lets clients list the interceptors of the project and ask them, whatever its metadata says.
	LendInterceptors bool
	// KeepCR keeps the carriage returns and the byte order mark in the output of tools, which are
	// otherwise removed.
	KeepCR bool
	// AllowCorrupt only logs corrupt messages and never ends a session for them.
	AllowCorrupt bool

	// Chain changes the list of stages that each session's messages pass: it gets the usual list,
	// from the wire inwards, and returns the list to use. It is called once per session, so the
	// stages that it creates belong to that session. Nil: the usual list.
	Chain func([]pipeline.Middleware) []pipeline.Middleware
	// Methods are served in addition to those of MCP, by name, in every revision. Replacing a
	// method of MCP is an error of Open. They run in their turn: a handler that takes long calls
	// [pipeline.Work] and waits for a slot, or [pipeline.Yield].
	Methods map[string]pipeline.Handler
	// Providers read resources in addition to the built-in providers, or in place of them, by the scheme of
	// the URI in lower case without the colon. Projects may name them in metadata, and have scripts in
	// providers/ that take precedence. Several goroutines call them at once.
	Providers map[string]providers.Provider

	// Begin is called before the server runs anything of its project: when the first client has the
	// answer to its handshake, sends another request, or has been silent for a moment. Clients wait
	// for it, and not for what it returns, which then runs in a goroutine that Close waits for; ctx
	// ends when Close is called. It is not called if the server is closed before. Nil, or a nil
	// rest: nothing is called.
	Begin func() (rest func(ctx context.Context))
	// Looked is called once the server has read its whole project for the first time, which clients
	// do not wait for; not if it is closed before. Nil: nothing is called.
	Looked func(Offer)
	// Ended is called with the reason why a session has ended, before Serve returns: a
	// [pipeline.End], or the error that Serve returns. Nil: nothing is called.
	Ended func(why error)
	// Calls gets a record of each call of a tool, prompt or resource; see
	// [middleware.CallLog]. Nil: none is written.
	Calls *slog.Logger
	// Observe is notified of the start and the end of each call, in all sessions. Nil costs
	// nothing.
	Observe middleware.CallObserver
	// Intercepted is told what an interceptor has done to a message, unless it let it pass as it was: refused, changed,
	// warned or failed. With audit it had no effect. It is called by several goroutines. Nil: nobody is told.
	Intercepted func(interceptor, outcome string, audit bool)
	// Record receives every message of every session, one per line; see [middleware.Record]. Nil:
	// nothing is recorded.
	Record io.Writer
	// Trace receives what each stage does with each message. Nil costs nothing.
	Trace pipeline.Tracer
	// Log is the server's log. Nil: [slog.Default].
	Log *slog.Logger
}

// check returns what is wrong with the options; ProjectRoot is the folder that was found.
func (o Options) check() error {
	for name := range o.Methods {
		if handlers.IsMCP(name) {
			return fmt.Errorf("cannot replace the MCP method %s", name)
		}
	}
	for scheme, p := range o.Providers {
		if !providers.IsScheme(scheme) {
			return fmt.Errorf("server.Options.Providers: %q is not a scheme; "+
				`write it in lower case without the colon, such as "db"`, scheme)
		} else if p == nil {
			return fmt.Errorf("server.Options.Providers: that of %q is nil", scheme)
		}
	}
	if n := utf8.RuneCountInString(o.Secret.Token); n > 0 && n < middleware.MinSecret {
		return fmt.Errorf("the secret's token has %d characters, and must have at least %d", n, middleware.MinSecret)
	}
	if folder := o.Folders.Server; folder != "" && o.ProjectRoot != "" {
		info, err := os.Stat(files.InRoot(o.ProjectRoot, folder))
		if err != nil || !info.IsDir() {
			return fmt.Errorf("Folders.Server: %s is not a folder, so policy.sh would be missing", folder)
		}
	}
	return nil
}

// A Cluster is the state that replicas of a server share; see [handlers.Cluster] for what an
// implementation must do.
type Cluster = handlers.Cluster

// Hosts are the hosts that may be requested.
type Hosts = providers.Hosts

// Folders are used in place of a project's usual ones. Relative ones start at the
// project's root. Empty: the usual one.
type Folders struct {
	Tools       string // tools
	Resources   string // resources
	Prompts     string // prompts
	Completions string // completions
	UI          string // ui
	Server      string // server.d
	Providers   string // providers
	// Interceptors is the folder of the rules for messages: interceptors
	Interceptors string
	// Registry is where lists are kept when they have changed. Empty: nowhere.
	Registry string
}

// An Identity is what clients show of a server. Empty: the folder and the files of other tools tell.
type Identity struct{ Name, Title, Version string }

// Visibility selects the variables of [Options.Environ] that a script sees.
type Visibility struct {
	Mode  Mode
	Allow []string // additional names, except in the mode Minimal
}

// A Mode is how much of the environment a script sees. In no mode it sees the secrets of the
// server.
type Mode = run.Mode

const (
	Minimal   = run.Minimal   // what programs need, and variables meant for scripts
	Allowlist = run.Allowlist // and those that are named
	Inherit   = run.Inherit   // all but the server's own
)

// A Policy defines which tools may be called, and which scripts of server.d may run. The zero value
// allows all tools, and the hooks that guard them.
type Policy struct {
	// Allow lists the tools that are allowed; "*" allows every tool. Empty: all, unless DenyOthers
	// is set.
	Allow []string
	// DenyOthers refuses the tools that Allow does not list, even if it is empty.
	DenyOthers bool
	// Hooks defines which scripts of server.d run, provided that nobody else can write them.
	Hooks Hooks
}

// Hooks are scripts of a project that run as a part of the server.
type Hooks uint8

const (
	// GuardHooks allows policy.sh and health-checks.sh: the operator trusts the project's tools
	// anyway.
	GuardHooks Hooks = iota
	AllHooks         // also register.sh, and an env.sh with more than assignments
	NoHooks          // none; if there is a policy.sh, all tools are refused
)

// Guards reports whether policy.sh and health-checks.sh run.
func (h Hooks) Guards() bool { return h != NoHooks }

// Others reports whether the other hooks run.
func (h Hooks) Others() bool { return h == AllHooks }

// Limits bound what clients and scripts can use. In each field, 0 means the default in its comment,
// and less than 0 means no limit, or off.
type Limits struct {
	Message int // bytes of a message, either way; 64 MiB
	Calls   int // scripts that run at once for all sessions together; 16
	// Memory is how many bytes calls with long arguments or output may hold together until they are
	// answered; others wait for them. 128 MiB.
	Memory int
	Page   int // items on a page of a list; 100, at most 500

	ToolTimeout    time.Duration // that a tool may run if its metadata does not specify it; 30 s
	ToolTimeoutMax time.Duration // in all, where progress extends it; 600 s
	ExtendTimeout  bool          // progress restarts the timeout of every tool
	ToolOutput     int           // bytes of a tool's output that are kept; 10 MiB
	StderrTail     int           // bytes of its stderr that results show; 4 KiB
	Arguments      int           // bytes of arguments in a variable, more are passed in a file; 64 KiB

	Scripts ScriptLimits // what a script may use

	Resource     int // bytes of a resource; 10 MiB
	UIPage       int // bytes of the page of a user interface; 1 MiB
	Registration int // bytes that register.json or register.sh may have; 1 MiB

	HTTPSTimeout time.Duration // for a download; 15 s, at most 60 s
	HTTPSBytes   int           // of a download; 10 MiB, at most 20 MiB
	GitTimeout   time.Duration // for a fetch; 30 s, at most 60 s
	GitKiB       int           // of a fetch; 50 MiB, at most 1 GiB

	Requests int // calls of a session in a minute; no limit
	Progress int // progress notifications of a call in a minute; 100
	Logs     int // log notifications of a call in a minute; 100

	Corrupt       int           // corrupt messages that end a session; 3
	CorruptWindow time.Duration // within which they count; 60 s

	Shutdown     time.Duration // for exit after shutdown; 5 s
	Idle         time.Duration // after which a session ends that nobody uses; off
	RootsTimeout time.Duration // for a client to name its roots; 5 s
	Poll         time.Duration // between two looks at subscribed resources and the project; 2 s

	InputWait time.Duration // that a script waits for a client of a stateless revision; 300 s
	StateLife time.Duration // that such a client may take to answer; 3,600 s
	TaskAfter time.Duration // after which a call becomes a task, where clients know tasks; 5 s
	TaskLife  time.Duration // that a task may run, and is kept when it has ended; 3,600 s
}

// ScriptLimits bound what a script may use, with all processes that it starts. The metadata of a
// tool cannot ask for more. A system may not be able to enforce all of them; see docs/SECURITY.md.
type ScriptLimits = process.Limits

// ParseScriptLimits parses limits such as "processes=512,memory=2G"; "none" as a number means no
// limit, and alone no limits at all.
func ParseScriptLimits(text string) (ScriptLimits, error) { return process.ParseLimits(text) }

// Resolved returns the limits with the defaults filled in; in the result, 0 means no limit, or off.
func (l Limits) Resolved() Limits {
	setDefault(&l.Message, 64<<20)
	setDefault(&l.Calls, 16)
	l.Calls = max(1, l.Calls)
	setDefault(&l.Memory, 128<<20)
	setDefault(&l.Page, 100)
	setDefault(&l.ToolTimeout, 30*time.Second)
	setDefault(&l.ToolTimeoutMax, 600*time.Second)
	setDefault(&l.ToolOutput, 10<<20)
	setDefault(&l.StderrTail, 4<<10)
	setDefault(&l.Arguments, 64<<10)
	if l.Scripts.Processes == 0 {
		l.Scripts.Processes = process.DefaultProcesses
	}
	setDefault(&l.Resource, 10<<20)
	setDefault(&l.UIPage, 1<<20)
	setDefault(&l.Registration, 1<<20)
	setDefault(&l.HTTPSTimeout, 15*time.Second)
	setDefault(&l.HTTPSBytes, 10<<20)
	setDefault(&l.GitTimeout, 30*time.Second)
	setDefault(&l.GitKiB, 50<<10)
	setDefault(&l.Requests, 0)
	setDefault(&l.Progress, 100)
	setDefault(&l.Logs, 100)
	setDefault(&l.Corrupt, 3)
	setDefault(&l.CorruptWindow, time.Minute)
	setDefault(&l.Shutdown, 5*time.Second)
	setDefault(&l.Idle, 0)
	setDefault(&l.RootsTimeout, 5*time.Second)
	setDefault(&l.Poll, 2*time.Second)
	setDefault(&l.InputWait, 300*time.Second)
	setDefault(&l.StateLife, time.Hour)
	setDefault(&l.TaskAfter, 5*time.Second)
	setDefault(&l.TaskLife, time.Hour)
	return l
}

// setDefault replaces 0 by the default, and a negative value by 0.
func setDefault[T int | time.Duration](v *T, otherwise T) {
	switch {
	case *v == 0:
		*v = otherwise
	case *v < 0:
		*v = 0
	}
}
