package server

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
)

// Version is the version of the server, also reported in serverInfo for projects without their own.
// It continues the versions of the Bash program, as projects may require a minimal version of that.
const Version = "2.0.0"

// toolEnvironment returns the environment of all tools and hooks.
func (o Options) toolEnvironment() []string {
	return append(o.environment(o.ToolEnv), o.ProjectEnv...)
}

// environment returns the part of Environ that scripts get, and SHELL: a bash without it in its
// environment looks it up in the user database at each start, which is slow.
func (o Options) environment(v Visibility) []string {
	env := o.isolation(v).Environment(o.Environ)
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "SHELL=") }) {
		return env
	}
	if shell := process.LoginShell(); shell != "" {
		env = append(env, "SHELL="+shell)
	}
	return env
}

// hint returns the hints for scripts with a visibility, whose settings begin with prefix.
func (o Options) hint(v Visibility, prefix string) run.Hint {
	return func(message string, env []string) string {
		return o.isolation(v).Hint(o.Environ, prefix, message, env)
	}
}

// isolation returns the rules for what scripts get of Environ.
func (o Options) isolation(v Visibility) run.Isolation {
	return run.Isolation{Mode: v.Mode, Allowed: v.Allow, Secrets: o.Secrets, Settings: o.Settings}
}

// project returns the options with which the project is opened; own is a private folder.
func (o Options) project(hook hooks.Host, own string, log *slog.Logger) catalog.Options {
	return catalog.Options{
		Folders:         catalog.Folders(o.Folders),
		Named:           catalog.Named(o.Identity),
		Static:          o.Static,
		MaxRegistration: int64(o.Limits.Registration),
		Poll:            o.Limits.Poll,
		Own:             own,
		Hook:            hook,
		Logger:          log,
	}
}

// listTTL is how long clients may cache lists: with Static, they change only when the server is
// restarted.
func listTTL(o Options) time.Duration {
	if o.Static {
		return 5 * time.Minute
	}
	return 0
}
