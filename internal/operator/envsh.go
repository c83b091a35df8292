package operator

import (
	"context"
	"maps"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// ReadProject reads the settings for a project: those of the environment, and the defaults of
// server.d/env.sh. It returns the environment with the latter, and complaints about either.
func ReadProject(env map[string]string, root string) (Settings, map[string]string, []string) {
	s, complaints := Read(env)
	return s.withProject(context.Background(), &process.Runner{}, env, root, complaints)
}

// withProject adds to settings that were read from env what the project at root sets.
func (s Settings) withProject(
	ctx context.Context, runner *process.Runner, env map[string]string, root string, complaints []string,
) (Settings, map[string]string, []string) {
	opened, err := catalog.Open(root, catalog.Options{Folders: catalog.Folders{Server: s.Folders.Server}})
	if err != nil {
		return s, env, complaints // opening the project reports the reason
	}
	server := Pairs(env)
	set := envFile{
		Host: hooks.Host{
			Root:      opened.Root(),
			ServerDir: opened.ServerDir(),
			Rules:     hooks.Rules{Allowed: s.Policy.Hooks.Others()},
			Bash:      func() string { return process.Bash(server) },
			Runner:    runner,
			Env:       func() []string { return Isolation(s.ToolEnv).Environment(server) },
		},
		Server: server,
	}.Read(ctx)
	if len(set.Server) > 0 {
		env = maps.Clone(env)
		maps.Copy(env, set.Server)
		s, complaints = Read(env)
	}
	s = s.WithServerFolder(opened.Root())
	s.ProjectEnv, s.EnvFaults, s.HookEnv = set.Tools, set.Warnings, HookEnvironment(env)
	return s, env, append(complaints, set.Warnings...)
}

// ReadServed reads the settings of a server for the project at root, or for the project that is
// found if root is empty. There may be none. If env.sh must run as a script, runner runs it until ctx is done.
func ReadServed(
	ctx context.Context, runner *process.Runner, env map[string]string, root string,
) (Settings, map[string]string, []string) {
	s, complaints := Read(env)
	if root == "" {
		root = s.Root
	}
	here, err := os.Getwd()
	if err == nil {
		root, err = catalog.Find(root, here)
	}
	if err != nil {
		return s, env, complaints // open reports the reason
	}
	return s.withProject(ctx, runner, env, root, complaints)
}

// ToolEnvironment returns the environment of all tools and hooks.
func ToolEnvironment(env map[string]string, s Settings) []string {
	return append(Isolation(s.ToolEnv).Environment(Pairs(env)), s.ProjectEnv...)
}

// HookEnvironment returns the environment of the server without its secrets, for policy.sh and
// register.sh: they run for the operator, who has allowed them, and may decide by variables that no
// tool sees.
func HookEnvironment(env map[string]string) []string {
	return run.Isolation{Mode: run.Inherit, Secrets: secrets()}.Environment(Pairs(env))
}

// Isolation returns which part of the server's environment scripts get.
func Isolation(v server.Visibility) run.Isolation {
	return run.Isolation{Mode: v.Mode, Allowed: v.Allow, Secrets: secrets(), Settings: operatorOnly()}
}
