package server

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/providers"
)

// Options say how a project is served. The zero value serves the project that the
// working directory is in, with the limits that [Limits] names, and lets its
// scripts see no variable of the process. Nothing here is read from the
// environment: `mcp-bash serve` fills it in from variables, see
// docs/ENVIRONMENT.md.
type Options struct {
	// ProjectRoot is the project's folder. Empty: the first folder with a project
	// on the way up from the working directory.
	ProjectRoot string
	Folders     Folders
	// Static serves lists as Folders.Registry keeps them, without looking at the
	// project.
	Static bool

	// StateDir is a private folder for the files of running calls, which stays when
	// the server is closed. Empty: one is made in the folder for temporary files,
	// and removed by Close.
	StateDir string
	// KeepCalls leaves the files of each call in StateDir, for people to look at.
	KeepCalls bool
	// Program is the mcp-bash program, which scripts call as jq where the machine
	// has none. Empty: scripts find the jq of the machine or none.
	Program string
	// Guard is a command that calls [Guard] with the arguments that follow those of the command,
	// and so ends the scripts that run when this process is killed. It is started with the first
	// script. Nil: scripts that run outlive a server that is killed, except on Windows.
	Guard []string
	// Cgroup is a folder of cgroups (Linux) for this server alone, in which each script gets
	// one of its own. Empty: none.
	Cgroup string
	// AdoptOrphans ends processes that a script leaves behind even when they leave
	// its session. It makes this process the parent of all its orphaned
	// descendants (Linux only), so at most one server of a process can have it, and
	// all children of the process should be that server's.
	AdoptOrphans bool

	// Sandbox puts every tool that asks for no sandbox into the one that its annotations
	// suggest. A tool for which the system has none is refused.
	Sandbox bool

	// Environ is the environment, as NAME=value, that scripts see a part of; see
	// ToolEnv and ProviderEnv. Nil: scripts have a PATH and nothing else.
	Environ []string
	// ToolEnv says which part tools see, ProviderEnv which part providers, prompt
	// scripts and completion scripts see.
	ToolEnv, ProviderEnv Visibility
	// Secrets name variables of Environ that no script sees, Settings those that a
	// script sees only where a Visibility names them.
	Secrets, Settings []string
	// ProjectEnv is what all scripts of the project get besides, as NAME=value, and
	// HookEnv what its hooks get.
	ProjectEnv, HookEnv []string
	// ToolStderr also gets what tools write to stderr. Nil: nobody does.
	ToolStderr io.Writer

	Policy Policy
	Limits Limits
	// HTTPS are the hosts that https: resources and downloads may come from, Git
	// those of git+https: resources, which are off unless GitEnabled. The zero
	// values allow none.
	HTTPS, Git Hosts
	GitEnabled bool
	UserAgent  string // of downloads; empty: mcp-bash
	// ResourceRoots are the folders whose files can be read as resources. Nil:
	// Roots, else Folders.Resources.
	ResourceRoots []string
	// Roots are the folders that tools work in where the client names none. Nil:
	// those of config/roots.json, else the project.
	Roots []string

	// Secret is what every call must bring; see [middleware.Token]. The zero value
	// asks for nothing; a token has at least [middleware.MinSecret] characters.
	Secret middleware.Secret
	// StateKeyFile holds the key that protects what clients of stateless revisions
	// keep for the server. Empty: a file in the user's configuration folder.
	StateKeyFile string
	// Cluster is what this server and its replicas on other machines know of each other: which
	// request states were used, and who runs which task. All of them must serve copies of the same
	// project in the same place, with the same key in StateKeyFile. The server joins it and leaves
	// it, and does not close it. Nil: the server is the only one.
	Cluster Cluster
	// Runner runs the tools. Calls that it runs take no slot of this server. Nil: this process does.
	Runner Runner
	// Batches accepts arrays of messages in every revision.
	Batches bool
	// Minimal serves nothing but the lifecycle, ping and logging.
	Minimal bool
	// Collected holds progress and logs of a call back until just before its result.
	Collected bool
	// KeepCR keeps the carriage returns and the byte order mark in what tools print,
	// which are otherwise removed.
	KeepCR bool
	// AllowCorrupt only logs corrupt messages and never ends a session for them.
	AllowCorrupt bool

	// Chain changes the list of stages that each session's messages pass: it gets
	// the usual list, from the wire inwards, and returns the list to use. It is
	// called once a session, so stages that it makes are the session's own. Nil:
	// the usual list.
	Chain func([]pipeline.Middleware) []pipeline.Middleware
	// Methods are served besides those of MCP, by name, in every revision. One of
	// MCP's cannot be replaced, that is an error of Open. They run in their turn: a
	// handler that takes long calls [pipeline.Work] and waits for a slot, or
	// [pipeline.Yield].
	Methods map[string]pipeline.Handler

	// Begun is called, in a goroutine that Close waits for, when the first client has the
	// answer to its handshake, asks for something else, or has been silent for a moment: a
	// time for work that no client should wait for; not if it is closed before. ctx ends when
	// Close is called. Nil: nothing is called.
	Begun func(ctx context.Context)
	// Looked is called once the server has looked at its whole project for the first
	// time, which clients do not wait for; not if it is closed before. Nil: it tells
	// nobody.
	Looked func(Offer)
	// Ended is told why a session has ended, before Serve returns: a [pipeline.End], or
	// the error that Serve returns. Nil: nobody is.
	Ended func(why error)
	// Calls gets a record of each call of a tool, prompt or resource; see
	// [middleware.CallLog]. Nil: none is written.
	Calls *slog.Logger
	// Observe sees each call begin and end, of all sessions. Nil costs nothing.
	Observe middleware.CallObserver
	// Record gets every message of every session, a line each; see
	// [middleware.Record]. Nil: nothing is recorded.
	Record io.Writer
	// Trace is told what each stage does with each message. Nil costs nothing.
	Trace pipeline.Tracer
	// Log takes what happens. Nil: [slog.Default].
	Log *slog.Logger
}

// A Cluster is what replicas of a server know of each other; see [handlers.Cluster] for what an
// implementation must do.
type Cluster = handlers.Cluster

// Hosts say which hosts may be asked.
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
	// Registry is where lists are kept when they have changed. Empty: nowhere.
	Registry string
}

// Visibility says which variables of [Options.Environ] a script sees.
type Visibility struct {
	Mode  Mode
	Allow []string // names that are seen too, except in the mode Minimal
}

// A Mode is how much of an environment a script sees. No mode shows a script the
// secrets of the server.
type Mode string

const (
	Minimal   Mode = ""          // what programs need, and variables meant for scripts
	Allowlist Mode = "allowlist" // and those that are named
	Inherit   Mode = "inherit"   // all but the server's own
)

// A Policy says which tools may be called, and which scripts of server.d may run.
// The zero value allows all tools, and the hooks that guard them.
type Policy struct {
	// Allow names the tools that are allowed; "*" is every tool. Empty: all, unless
	// DenyOthers is set.
	Allow []string
	// DenyOthers refuses what Allow does not name, also where it names nothing.
	DenyOthers bool
	// Hooks says which scripts of server.d run, where nobody else can write them.
	Hooks Hooks
}

// Hooks are scripts of a project that run as a part of the server.
type Hooks uint8

const (
	// GuardHooks are policy.sh and health-checks.sh: who serves a project runs its
	// tools too.
	GuardHooks Hooks = iota
	AllHooks         // register.sh and an env.sh that is more than assignments as well
	NoHooks          // none; where there is a policy.sh, all tools are refused
)

// guards are the rules for the hooks of GuardHooks.
func (h Hooks) guardRules() hooks.Rules { return hooks.Rules{Allowed: h != NoHooks} }

// others are the rules for the other hooks.
func (h Hooks) otherRules() hooks.Rules { return hooks.Rules{Allowed: h == AllHooks} }

// Limits bound what clients and scripts can take. In each, 0 is the default that
// is named beside it, and less than 0 means no limit, or off.
type Limits struct {
	Message int // bytes of a message, either way; 64 MiB
	Calls   int // scripts that run at once for all sessions together; 16
	// Prestart is how many shells wait for the next calls of the tools in bash that were
	// called last; 0: only for tools whose metadata asks for it, at most 8.
	Prestart int
	// Memory is how many bytes calls with long arguments or output hold together until
	// they are answered; others wait for them. 128 MiB.
	Memory int
	Page   int // items on a page of a list; 100, at most 500

	ToolTimeout    time.Duration // that a tool may run where its metadata does not say; 30 s
	ToolTimeoutMax time.Duration // in all, where progress extends it; 600 s
	ExtendTimeout  bool          // progress starts the timeout of every tool anew
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

// ScriptLimits bound what a script may use, with all that it starts. What is set here is the most
// that metadata of a tool can ask for. A system may not be able to hold all of them; see
// docs/SECURITY.md.
type ScriptLimits = script.Limits

// ParseScriptLimits reads limits as "processes=512,memory=2G"; "none" in the place of a number is
// no limit, and alone that there are none at all.
func ParseScriptLimits(text string) (ScriptLimits, error) { return script.ParseLimits(text) }

// Resolved returns the limits with the defaults in their places; then 0 means no
// limit, or off.
func (l Limits) Resolved() Limits {
	setDefault(&l.Message, 64<<20)
	setDefault(&l.Calls, 16)
	l.Calls = max(1, l.Calls)
	setDefault(&l.Prestart, 0)
	setDefault(&l.Memory, 128<<20)
	setDefault(&l.Page, 100)
	setDefault(&l.ToolTimeout, 30*time.Second)
	setDefault(&l.ToolTimeoutMax, 600*time.Second)
	setDefault(&l.ToolOutput, 10<<20)
	setDefault(&l.StderrTail, 4<<10)
	setDefault(&l.Arguments, 64<<10)
	if l.Scripts.Processes == 0 {
		l.Scripts.Processes = script.DefaultProcesses
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

// def puts the default in the place of 0, and 0 in the place of less.
func setDefault[T int | time.Duration](v *T, otherwise T) {
	switch {
	case *v == 0:
		*v = otherwise
	case *v < 0:
		*v = 0
	}
}
