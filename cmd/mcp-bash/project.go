package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/handlers"
	"github.com/mcp-bash/mcp-bash/internal/hooks"
	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/policy"
	"github.com/mcp-bash/mcp-bash/internal/project"
	"github.com/mcp-bash/mcp-bash/internal/roots"
	"github.com/mcp-bash/mcp-bash/internal/script"
	"github.com/mcp-bash/mcp-bash/internal/tool"
)

// openProject finds the project and what serves its tools. Without one, the
// server explains how to make one.
func openProject(root, state string, s streams, env map[string]string, settings settings, log *slog.Logger) (func() (mcp.Implementation, string), handlers.Tools, error) {
	here, err := os.Getwd()
	if err != nil {
		here = string(os.PathSeparator)
	}
	root, err = project.Find(root, here)
	if errors.Is(err, project.ErrNone) {
		log.Warn("no project found: serving the tool getting_started; set MCPBASH_PROJECT_ROOT or --project-root to a folder with tools/ in it")
		start := handlers.GettingStarted{}
		none := func() (mcp.Implementation, string) {
			return mcp.Implementation{Name: "mcp-bash", Title: "mcp-bash", Version: version}, ""
		}
		return none, handlers.Tools{Catalog: start, Policy: &policy.Policy{}, Roots: &roots.Roots{Log: log}, Run: start.Run}, nil
	} else if err != nil {
		return nil, handlers.Tools{}, usageError{err}
	}
	schemas := &tool.Schemas{}
	p, err := project.Open(root, project.Options{ToolsDir: settings.toolsDir, ServerDir: settings.serverDir, CheckSchema: schemas.Check, Logger: log})
	if err != nil {
		return nil, handlers.Tools{}, usageError{err}
	}
	runner := &script.Runner{}
	adopted := runner.Adopt()
	if adopted != nil {
		log.Debug("descendants that leave their session will not be ended", "error", adopted)
	}
	runtime := &tool.Runtime{
		Runner:  runner,
		Root:    p.Root(),
		State:   state,
		Env:     append(tool.Environment(pairs(env), settings.envMode, settings.envAllowlist), aboutServer(p)...),
		Schemas: schemas,
		Limits: tool.Limits{
			Timeout:          settings.toolTimeout,
			Extended:         settings.maxTimeout,
			ExtendOnProgress: settings.extend,
			Output:           settings.maxOutput,
			StderrTail:       settings.stderrTail,
			Inline:           settings.inline,
		},
		Log:   log,
		Reuse: adopted == nil,
	}
	if settings.streamErr {
		runtime.Stderr = s.err
	}
	return identity(p, log), handlers.Tools{
		Catalog: p,
		Policy:  operatorPolicy(p, runtime, settings),
		Roots:   &roots.Roots{Fallback: fallbackRoots(p, settings, log), Patience: settings.rootsPatience, Log: log},
		Run:     runtime.Call,
	}, nil
}

// aboutServer tells tools which server they belong to.
func aboutServer(p *project.Project) []string {
	id, _ := p.Identity()
	return []string{
		"MCPBASH_FRAMEWORK_VERSION=" + version,
		"MCPBASH_MODE=full",
		"MCPBASH_SERVER_NAME=" + id.Name,
		"MCPBASH_SERVER_TITLE=" + id.Title,
		"MCPBASH_SERVER_VERSION=" + id.Version,
		"MCPBASH_SERVER_DESCRIPTION=" + id.Description,
		"MCPBASH_SERVER_WEBSITE_URL=" + id.WebsiteURL,
		"MCPBASH_SERVER_ICONS=" + string(id.Icons),
		"MCPBASH_SERVER_INSTRUCTIONS=" + id.Instructions,
	}
}

// fallbackRoots are the folders that tools work in where the client names none:
// those of MCPBASH_ROOTS, else of config/roots.json, else the project itself.
func fallbackRoots(p *project.Project, s settings, log *slog.Logger) []roots.Root {
	if found := roots.Folders(p.Root(), filepath.SplitList(s.roots)...); len(found) > 0 {
		return found
	}
	path := filepath.Join(p.Root(), "config", "roots.json")
	if text, err := os.ReadFile(path); err == nil {
		var config struct {
			Roots []struct{ Path, Name string } `json:"roots"`
		}
		if err := json.Unmarshal(text, &config); err != nil {
			log.Warn("config/roots.json cannot be read", "error", err)
		}
		var found []roots.Root
		for _, r := range config.Roots {
			for _, root := range roots.Folders(p.Root(), r.Path) {
				if r.Name != "" {
					root.Name = r.Name
				}
				found = append(found, root)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return roots.Folders(p.Root(), ".")
}

// operatorPolicy is what the operator and the project's policy.sh allow.
func operatorPolicy(p *project.Project, r *tool.Runtime, s settings) *policy.Policy {
	bash, err := exec.LookPath("bash")
	if err != nil {
		bash = "bash" // told when the hook is to run
	}
	return &policy.Policy{
		Allow: s.allowTools,
		Deny:  s.denyTools,
		Hook: &policy.Hook{
			Root:      p.Root(),
			ServerDir: p.ServerDir(),
			Bash:      bash,
			Rules:     hooks.Rules{Allowed: s.allowHooks},
			Runner:    r.Runner,
			Env:       r.Env,
			Log:       r.Log,
		},
	}
}

// identity tells who a project's server is, as its files are now.
func identity(p *project.Project, log *slog.Logger) func() (mcp.Implementation, string) {
	return func() (mcp.Implementation, string) {
		id, faults := p.Identity()
		for _, f := range faults {
			log.Warn(f.String())
		}
		return mcp.Implementation{
			Name:        id.Name,
			Title:       id.Title,
			Version:     id.Version,
			Description: id.Description,
			WebsiteURL:  id.WebsiteURL,
			Icons:       []byte(id.Icons),
		}, id.Instructions
	}
}

// collect makes calls tell their progress and logs all at once, just before the
// result.
func collect(run func(context.Context, tool.Call) (*mcp.CallToolResult, error)) func(context.Context, tool.Call) (*mcp.CallToolResult, error) {
	return func(ctx context.Context, c tool.Call) (*mcp.CallToolResult, error) {
		var later []func()
		progress, log := c.Progress, c.Log
		c.Progress = func(p mcp.ProgressParams) { later = append(later, func() { progress(p) }) }
		c.Log = func(p mcp.LogParams) { later = append(later, func() { log(p) }) }
		result, err := run(ctx, c)
		for _, tell := range later {
			tell()
		}
		return result, err
	}
}
