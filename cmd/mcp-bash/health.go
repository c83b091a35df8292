package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/doctor"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

const defaultHealthTimeout = 5 * time.Second

func healthCommand(p program) *cobra.Command {
	var secs string
	cmd := &cobra.Command{
		Use:     "health",
		Aliases: []string{"ready"},
		Short:   "Report whether the project can be served",
		Long: `Health reads the lists of the project as the server does, runs
server.d/health-checks.sh (unless MCPBASH_ALLOW_PROJECT_HOOKS is false), and prints one
line of JSON, whatever happens. Nothing is written.

The exit code is 0 if the project can be served, 1 if it cannot or time runs out,
and 2 if no project was found.`,
		Example: `  mcp-bash health -C /srv/project --timeout 2`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if secs == "" {
				secs = p.env["MCPBASH_HEALTH_TIMEOUT_SECS"]
			}
			return p.health(healthTimeout(secs))
		},
	}
	cmd.Flags().StringVar(&secs, "timeout", "",
		"`seconds` that it may take (default: MCPBASH_HEALTH_TIMEOUT_SECS, else 5)")
	return cmd
}

// healthTimeout parses a number of seconds. As in the Bash program, an invalid number means 5.
func healthTimeout(text string) time.Duration {
	secs, err := strconv.ParseFloat(text, 64)
	if err != nil || !(secs > 0 && secs < 1e6) {
		return defaultHealthTimeout
	}
	return time.Duration(secs * float64(time.Second))
}

// A health is the report for a supervisor. A list is ok or failed, or unknown if the time was over
// before it was read; the checks of the project may be skipped.
type health struct {
	Status        string `json:"status"` // ok, unhealthy or error
	Reason        string `json:"reason,omitempty"`
	Mode          string `json:"mode,omitempty"`
	JSONTool      string `json:"jsonTool,omitempty"`
	Tools         string `json:"tools,omitempty"`
	Resources     string `json:"resources,omitempty"`
	Prompts       string `json:"prompts,omitempty"`
	ProjectChecks string `json:"projectChecks,omitempty"`
}

// health checks the project and prints the report.
func (p program) health(patience time.Duration) error {
	root, err := p.project()
	if err != nil {
		p.exit(2)
		p.complain("%v", err)
		return p.line(health{Status: "error", Reason: "no_project"})
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	h, err := p.examine(ctx, root)
	if err != nil {
		p.exit(2)
		p.complain("%v", err)
		return p.line(health{Status: "error", Reason: "project_unusable"})
	}
	if h.Status != "ok" {
		p.exit(1)
	}
	return p.line(h)
}

// line prints JSON on one line.
func (p program) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s\n", text)
	return err
}

// examine reads the lists and runs the project's checks. Failures are reported on stderr.
func (p program) examine(ctx context.Context, root string) (health, error) {
	settings, complaints, err := p.readProject(root)
	p.complainOf(complaints)
	if err != nil {
		return health{}, err
	}
	if !settings.Static {
		settings.Folders.Registry = "" // nothing is written
	}
	opened, err := p.open(settings, root, slog.New(slog.DiscardHandler))
	if err != nil {
		return health{}, err
	}
	h := health{Status: "ok", Mode: "full", JSONTool: "gojq"}
	outcome := func(what string, err error) string {
		switch {
		case err == nil:
			return "ok"
		case ctx.Err() != nil:
			h.Status, h.Reason = "unhealthy", "timeout"
			return "unknown"
		}
		h.Status = "unhealthy"
		p.complain("%s: %v", what, err)
		return "failed"
	}
	_, err = opened.Tools(ctx)
	h.Tools = outcome("tools", err)
	_, err = opened.Resources(ctx)
	if err == nil {
		_, err = opened.Templates(ctx)
	}
	h.Resources = outcome("resources", err)
	_, err = opened.Prompts(ctx)
	h.Prompts = outcome("prompts", err)
	err = doctor.HealthChecks(ctx, p.healthHook(hooks.Rules{Allowed: settings.Policy.Hooks.Guards()}, opened.Root(),
		opened.ServerDir(), &process.Runner{}))
	if errors.Is(err, hooks.ErrNotAllowed) || errors.Is(err, fs.ErrPermission) {
		p.complain("%v", err)
		h.ProjectChecks = "skipped"
	} else {
		h.ProjectChecks = outcome("project checks", err)
	}
	return h, nil
}

// healthHook returns how the project's own checks run: with the operator's variables, except
// secrets.
func (p program) healthHook(rules hooks.Rules, root, serverDir string, runner *process.Runner) hooks.Host {
	return hooks.Host{
		Root: root, ServerDir: serverDir, Rules: rules, Runner: runner,
		Bash: func() string { return process.Bash(p.environ) },
		Env: func() []string {
			return operator.Isolation(server.Visibility{Mode: server.Inherit}).Environment(operator.Pairs(p.env))
		},
	}
}

// probes adds the flags --health and --ready of the Bash program, which take the place of the command.
func probes(root, health *cobra.Command) {
	serve := root.RunE
	var asked, ready bool
	root.Flags().BoolVar(&asked, "health", false, "as the command health")
	root.Flags().BoolVar(&ready, "ready", false, "as the command ready")
	patience := *health.Flags().Lookup("timeout")
	root.Flags().AddFlag(&patience)
	for _, name := range []string{"health", "ready", "timeout"} {
		root.Flags().Lookup(name).Hidden = true
	}
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if asked || ready {
			return health.RunE(health, args)
		}
		return serve(cmd, args)
	}
}
