// Package run runs whatever the server starts for a client: tools, prompts,
// completion scripts and those that read resources. All of them run under the
// same clock, with variables made in the same way, and end in the same way
// (execute.go). A tool and a prompt can ask their client by the channel of the
// SDK; while they do, their clock stands still.
//
// What a script may rely on is in environment.go, what becomes of the output of
// a tool in result.go, of a prompt in render.go.
package run

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A Runtime runs scripts, any number at the same time. Its fields are not changed
// once it is used.
type Runtime struct {
	Runner  *script.Runner
	Root    string   // the project's folder: where scripts run
	State   string   // a private folder of the server, for the folders of calls
	Env     []string // what all tools get; see Isolation
	Others  []string // what the other scripts get
	Schemas *Schemas
	Limits  Limits
	Stderr  io.Writer // also gets what scripts write to stderr; nil: nobody does
	Log     *slog.Logger

	SDK *sdk.Server // answers the helpers of the SDK
	// Home returns the folder that scripts know as MCPBASH_HOME, and puts there what
	// is missing: the SDK in sdk, the built-in providers in providers.
	Home func() (string, error)

	// Program is the mcp-bash program, which tools in a sandbox may run; "" for none.
	Program string
	// CageAll puts every tool that says nothing of a sandbox, or wants none, into the one that
	// its annotations suggest.
	CageAll bool

	// KeepCR keeps the carriage returns and the byte order mark in what tools print.
	KeepCR bool

	// Reuse keeps the folder of a call for the next one. It needs a Runner that
	// has adopted its descendants, so that none of an earlier call is left to
	// write there.
	Reuse bool
	// Keep leaves the folder of each call in State, for people to look into.
	Keep bool

	// Prestart is how many shells wait for calls of scripts in bash; 0: only for tools that
	// ask for it, as many as there are, up to 8.
	Prestart int

	shells   shells
	folders  folders
	channels struct {
		once sync.Once
		off  bool
	}
}

// Limits bound a call where the tool's metadata says nothing else. The zero
// value takes the defaults.
type Limits struct {
	Timeout          time.Duration // how long a tool may run; 0: for ever
	Script           time.Duration // how long another script may run; 0: 30 s
	Extended         time.Duration // how long at most where progress extends it; 0: 600 s
	ExtendOnProgress bool          // progress starts the timeout anew
	Output           int           // bytes of stdout that are kept; 0: 10 MiB
	StderrTail       int           // bytes of the end of stderr that are kept; 0: 4096
	Inline           int           // bytes of arguments that go into a variable, more into a file; 0: 64 KiB
}

const (
	defaultScript     = 30 * time.Second
	defaultExtended   = 600 * time.Second
	defaultOutput     = 10 << 20
	defaultStderrTail = 4 << 10
	defaultInline     = 64 << 10
)

// tee passes what is written to w on to the server's stderr, if it wants it.
func (r *Runtime) tee(w io.Writer) io.Writer {
	if r.Stderr == nil {
		return w
	}
	return io.MultiWriter(w, r.Stderr)
}
