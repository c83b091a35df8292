package main

import (
	"context"
	"maps"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/serverenv"
)

// readProject reads the settings that hold for a project: those of the
// environment, and where it says nothing those of server.d/env.sh. It returns the
// environment with the latter, and what is wrong with either.
func readProject(env map[string]string, root string) (settings, map[string]string, []string) {
	s, complaints := readSettings(env)
	opened, err := project.Open(root, project.Options{ServerDir: s.Folders.Server})
	if err != nil {
		return s, env, complaints // who opens it to use it tells why
	}
	set := serverenv.File{
		Root:      opened.Root(),
		ServerDir: opened.ServerDir(),
		Server:    pairs(env),
		Visible:   isolation(s.ToolEnv).Environment(pairs(env)),
		Names:     tableNames(),
		Bash:      script.Bash(pairs(env)),
		Rules:     s.registers(),
		Runner:    &script.Runner{},
	}.Read(context.Background())
	if len(set.Server) > 0 {
		env = maps.Clone(env)
		maps.Copy(env, set.Server)
		s, complaints = readSettings(env)
	}
	s.ProjectEnv, s.envFaults, s.HookEnv = set.Tools, set.Warnings, hookEnvironment(env)
	return s, env, append(complaints, set.Warnings...)
}

// readServed reads the settings of a server for the project at root, or the one
// that is found without it. There may be none.
func readServed(env map[string]string, root string) (settings, map[string]string, []string) {
	s, complaints := readSettings(env)
	if root == "" {
		root = s.projectRoot
	}
	here, err := os.Getwd()
	if err == nil {
		root, err = project.Find(root, here)
	}
	if err != nil {
		return s, env, complaints // open tells
	}
	return readProject(env, root)
}

// readProject reads the settings that hold for a project, and makes its
// environment that of the program.
func (p *program) readProject(root string) (s settings, complaints []string) {
	s, p.env, complaints = readProject(p.env, root)
	return s, complaints
}

// toolEnvironment is what all tools and hooks get.
func toolEnvironment(env map[string]string, s settings) []string {
	return append(isolation(s.ToolEnv).Environment(pairs(env)), s.ProjectEnv...)
}

// hookEnvironment is the environment of the server without its secrets. policy.sh
// and register.sh get it: they run for the operator, who has allowed them, and may
// decide by variables that no tool sees.
func hookEnvironment(env map[string]string) []string {
	return run.Isolation{Mode: run.Inherit, Secrets: secrets}.Environment(pairs(env))
}
