package main

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
	"github.com/mcp-bash/mcp-bash/v2/providers"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// readProject returns the settings for a project and complaints about them, and makes the project's
// environment that of the program. The error is their refusal.
func (p *program) readProject(root string) (s operator.Settings, complaints []string, err error) {
	s, p.env, complaints = operator.ReadProject(p.env, root)
	if s.Refusal != nil {
		err = console.UsageError{Err: s.Refusal}
	}
	return s, complaints, err
}

// served is readProject for the project that the command is about.
func (p *program) served() (root string, s operator.Settings, complaints []string, err error) {
	if root, err = p.project(); err == nil {
		s, complaints, err = p.readProject(root)
	}
	return root, s, complaints, err
}

// open opens a project only to read it. The error is a [console.UsageError].
func (p program) open(s operator.Settings, root string, log *slog.Logger) (*catalog.Project, error) {
	env := operator.ToolEnvironment(p.env, s)
	opened, err := catalog.Open(root, opening(s, &process.Runner{}, env, log))
	if err != nil {
		return nil, console.UsageError{Err: err}
	}
	return opened, nil
}

// opening returns the options with which commands open a project only to read it.
func opening(s operator.Settings, runner *process.Runner, env []string, log *slog.Logger) catalog.Options {
	hookEnv := process.With(s.HookEnv, env...)
	return catalog.Options{
		Folders:         catalog.Folders(s.Folders),
		Named:           catalog.Named(s.Identity),
		Static:          s.Static,
		MaxRegistration: int64(s.Limits.Registration),
		Hook: hooks.Host{
			Rules:  hooks.Rules{Allowed: s.Policy.Hooks.Others()},
			Runner: runner,
			Bash:   func() string { return process.Bash(hookEnv) },
			Env:    func() []string { return hookEnv },
		},
		Logger: log,
	}
}

// readable returns a function that reports why a file: URI could not be read as a resource, without
// reading it.
func readable(o server.Options, root string) func(uri string) error {
	files := providers.File{Roots: o.FileRoots(root), Base: root}
	return func(uri string) error {
		if scheme, _, _ := strings.Cut(uri, ":"); !strings.EqualFold(scheme, "file") {
			return nil
		}
		return files.Check(uri)
	}
}

// checking returns the options to check a project that the server would serve with these settings.
// remove deletes the files that the check needs on disk.
func (p program) checking(s operator.Settings, root string) (o check.Options, remove func(), err error) {
	env := operator.ToolEnvironment(p.env, s)
	remove = func() {}
	self, _ := os.Executable() // without it, scripts have the jq of the machine
	state, err := makeState(s)
	if err == nil {
		claim(s, state)(context.Background())
		remove = func() { state.Remove() }
		jq := jq.NewLinks(self, filepath.Join(state.Path, "bin"))
		env, err = jq.Give(env), jq.Link()
	}
	if _, missing := exec.LookPath("jq"); err != nil && missing != nil {
		p.complain("tools that call jq will find none: %v", err)
	}
	runner := &process.Runner{}
	allowed := &hooks.Policy{Allow: s.Policy.Allow, Deny: s.Policy.DenyOthers}
	if _, err := catalog.Open(root, catalog.Options{Folders: catalog.Folders{Server: s.Folders.Server}}); err != nil {
		remove()
		return o, nil, console.UsageError{Err: err}
	}
	scripts := providers.Scripts{Folder: files.InRoot(root, cmp.Or(s.Folders.Providers, catalog.Usual().Providers))}
	return check.Options{
		Project:      opening(s, runner, env, nil),
		Env:          env,
		Hooks:        hooks.Rules{Allowed: s.Policy.Hooks.Guards()},
		Page:         s.Limits.Page,
		ProvidersDir: s.Folders.Providers,
		Provides: func(scheme string) bool {
			_, scripted := scripts.Provider(scheme)
			return scripted || slices.Contains(slices.Collect(maps.Values(server.BuiltIn())), scheme)
		},
		Script: func(name string) bool {
			_, scripted := scripts.Provider(name)
			return scripted
		},
		Readable:   readable(s.Options, root),
		Helpers:    sdk.Functions(),
		Listed:     allowed.Listed,
		Reported:   append(operator.StrayFolders(s, root), s.EnvFaults...),
		Runner:     runner,
		ShellCheck: process.LookPath("shellcheck", env),
	}, remove, nil
}
