// Package run runs whatever the server starts for a client: tools, prompts,
// completion scripts and scripts that read resources. All of them run under the
// same kind of clock, get their variables in the same way, and end in the same
// way (execute.go). Tools and prompts can ask the client through the channel of
// the SDK; meanwhile their clock is paused.
//
// environment.go has the variables that scripts may rely on, result.go how the
// output of a tool becomes its result, render.go the same for prompts.
package run

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// A Runtime runs scripts, any number at the same time. Its fields must not be
// changed once it is used.
type Runtime struct {
	Runner  *process.Runner
	Root    string          // the project's folder: where scripts run
	State   string          // a private folder of the server, for the folders of calls
	Env     func() []string // what all tools get; see Isolation
	Others  func() []string // what the other scripts get
	Hint    Hint            // for tools
	Advice  Hint            // for the other scripts
	Schemas *Schemas
	Limits  Limits
	Stderr  io.Writer // also gets what scripts write to stderr; nil for none
	Log     *slog.Logger
	// Note says something of the message of a context in the trace. Nil: there is no trace.
	Note func(ctx context.Context, key string, value any, more ...any)

	SDK *sdk.Server // answers the helpers of the SDK
	// Home returns the folder that scripts get as MCPBASH_HOME. It installs what is
	// missing there: the SDK in sdk, the built-in providers in providers.
	Home func() (string, error)

	// Program is the path of mcp-bash, which tools in a sandbox may run; "" for none.
	Program string
	// CageAll puts every tool without a sandbox, even if its metadata declines one, into the one that
	// its annotations suggest.
	CageAll bool

	// Strict refuses arguments that are not of the types that their schema names, also where it is clear what
	// is meant; see [schema.Schema.Meant].
	Strict bool

	// KeepCR keeps the carriage returns and the byte order mark in what tools print.
	KeepCR bool

	// Reuse keeps the folder of a call for the next one. It needs a Runner that
	// has adopted its descendants, so that no process of an earlier call can still
	// write there.
	Reuse bool
	// Keep leaves the folder of each call in State, for debugging.
	Keep bool

	folders  folders
	channels struct {
		once sync.Once
		off  bool
	}
}

// A Hint returns what the operator can do for a script with the variables env that failed with a message,
// "" if there is nothing; see [Isolation.Hint]. A nil one never returns anything.
type Hint func(message string, env []string) string

// Limits apply to a call unless the tool's metadata overrides them. The zero
// value means the defaults.
type Limits struct {
	Timeout          time.Duration // how long a tool or another script may run; 0: no limit
	Extended         time.Duration // how long at most where progress extends it; 0: 600 s
	ExtendOnProgress bool          // progress restarts the timeout
	Output           int           // bytes of stdout that are kept; 0: 10 MiB
	StderrTail       int           // bytes of the end of stderr that are kept; 0: 4096
	Inline           int           // bytes of arguments that go into a variable, more into a file; 0: 64 KiB
}

const (
	defaultExtended   = 600 * time.Second
	defaultOutput     = 10 << 20
	defaultStderrTail = 4 << 10
	defaultInline     = 64 << 10
)
