package main

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"

	"github.com/mcp-bash/mcp-bash/v2/internal/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/policy"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/internal/tool"
)

// opening is how a project is opened, by the server and by whoever tells what the server would do.
func opening(s settings, runner *script.Runner, env []string, schemas *tool.Schemas, log *slog.Logger) project.Options {
	return project.Options{
		ToolsDir:        s.toolsDir,
		ResourcesDir:    s.resourcesDir,
		PromptsDir:      s.promptsDir,
		CompletionsDir:  s.completionsDir,
		UIDir:           s.uiDir,
		ServerDir:       s.serverDir,
		RegistryDir:     s.registryDir,
		Static:          s.staticRegistry,
		MaxRegistration: int64(s.maxManual),
		Poll:            s.pollInterval,
		Hook:            project.Hook{Rules: hooks.Rules{Allowed: s.allowHooks}, Runner: runner, Bash: bash(), Env: with(s.hookEnv, env...)},
		CheckSchema:     schemas.Check,
		Logger:          log,
	}
}

// bash is where bash is, or its name where it is not found, which is told when a hook is to run.
func bash() string {
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "bash"
}

// checking is how a project is checked that the server would serve with these settings. remove
// takes away what the check needs on disk.
func (p program) checking(s settings, root string) (o check.Options, remove func(), err error) {
	env := toolEnvironment(p.env, s)
	remove = func() {}
	state, err := makeState(s)
	if err == nil {
		remove = func() { os.RemoveAll(state) }
		env, err = withJQ(env, state)
	}
	if _, missing := exec.LookPath("jq"); err != nil && missing != nil {
		fmt.Fprintf(p.err, "mcp-bash: tools that call jq will find none: %v\n", err)
	}
	runner := &script.Runner{}
	allowed := &policy.Policy{Allow: s.allowTools, Deny: s.denyTools}
	opened, err := project.Open(root, project.Options{ServerDir: s.serverDir})
	if err != nil {
		remove()
		return o, nil, usageError{err}
	}
	reads := newReader(opened, runner, p.env, s, slog.New(slog.DiscardHandler))
	return check.Options{
		Project:      opening(s, runner, env, &tool.Schemas{}, nil),
		Env:          env,
		Hooks:        s.guards(),
		ProvidersDir: s.providersDir,
		Provides: func(scheme string) bool {
			_, builtIn := reads.set.Schemes[scheme]
			_, scripted := reads.set.Scripts.Provider(scheme)
			return builtIn || scripted
		},
		Listed: allowed.Listed,
		Heard:  append(s.strayFolders(root), s.envFaults...),
		Runner: runner,
	}, remove, nil
}
