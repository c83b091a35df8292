package server

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// Version is what the server calls itself, in serverInfo for projects without a
// version of their own too. It continues the versions of the Bash program: projects
// ask for at least a version of that.
const Version = "2.0.0"

// toolEnvironment is what all tools and hooks get.
func (o Options) toolEnvironment() []string {
	return append(o.environment(o.ToolEnv), o.ProjectEnv...)
}

// environment is what scripts get of Environ, and SHELL: a bash that does not find it in its
// environment asks the system for it at each start, which takes it long.
func (o Options) environment(v Visibility) []string {
	env := o.isolation(v).Environment(o.Environ)
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "SHELL=") }) {
		return env
	}
	if shell := script.LoginShell(); shell != "" {
		env = append(env, "SHELL="+shell)
	}
	return env
}

// isolation is what scripts get of Environ.
func (o Options) isolation(v Visibility) run.Isolation {
	mode := run.Minimal
	if v.Mode != Minimal {
		mode = run.Mode(v.Mode)
	}
	return run.Isolation{Mode: mode, Allowed: v.Allow, Secrets: o.Secrets, Settings: o.Settings}
}

// project is how the project is opened.
func (o Options) project(runner *script.Runner, toolEnv []string, schemas *run.Schemas, log *slog.Logger) project.Options {
	f := o.Folders
	return project.Options{
		ToolsDir:        f.Tools,
		ResourcesDir:    f.Resources,
		PromptsDir:      f.Prompts,
		CompletionsDir:  f.Completions,
		UIDir:           f.UI,
		ServerDir:       f.Server,
		RegistryDir:     f.Registry,
		Static:          o.Static,
		MaxRegistration: int64(o.Limits.Registration),
		Poll:            o.Limits.Poll,
		Hook:            hooks.Host{Rules: o.Policy.Hooks.otherRules(), Runner: runner, Bash: script.Bash(o.Environ), Env: script.With(o.HookEnv, toolEnv...)},
		CheckSchema:     schemas.Check,
		Logger:          log,
	}
}

// listTTL is how long clients may keep lists: those of a server that does not
// look at its files change with a restart only.
func listTTL(o Options) time.Duration {
	if o.Static {
		return 5 * time.Minute
	}
	return 0
}
