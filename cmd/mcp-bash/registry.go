package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

func registryCommand(p program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "registry",
		Short: "Show or refresh the cached lists in .registry",
		Long: `The lists of what a project offers are stored in .registry. A server with
MCPBASH_STATIC_REGISTRY=1, as in a bundle, serves from there without a look at the
project; any other writes them by itself.

Both commands print one JSON object on stdout.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "status",
			Short:   "Show which lists are cached, without reading the project",
			Example: "  mcp-bash registry status",
			Args:    cobra.NoArgs,
			RunE:    func(*cobra.Command, []string) error { return p.registryStatus() },
		},
		refreshCommand(p),
	)
	return cmd
}

func refreshCommand(p program) *cobra.Command {
	r := registryRefresh{program: p}
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Look at the project and write its lists",
		Long: `Look at the project as it is now, also with MCPBASH_STATIC_REGISTRY=1, and write the
lists that changed. What is left out of them is reported on stderr, with the reason.

The exit code is 1 if a list cannot be read or written; the others are written.`,
		Example: `  mcp-bash registry refresh
  mcp-bash registry refresh --filter tools --quiet`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return r.run() },
	}
	f := cmd.Flags()
	f.BoolVar(&r.quiet, "quiet", false, "print errors only")
	f.StringVar(&r.filter, "filter", "",
		"refresh only the lists that this `path` in the project contributes to; each is written as a whole")
	f.Bool("no-notify", false, "has no effect: servers notice changes themselves and notify their clients")
	return cmd
}

// A listStatus is the state of a cached list, as registry status shows it.
type listStatus struct {
	Status string  `json:"status"` // present, missing or broken
	Path   string  `json:"path"`
	Count  int     `json:"count"`
	Hash   *string `json:"hash"`
	MTime  *int64  `json:"mtime"` // seconds since 1970
	Error  string  `json:"error,omitempty"`
}

// registryStatus prints the state of the cached lists.
func (p program) registryStatus() error {
	opened, _, err := p.registryOf(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	status := map[string]any{"projectRoot": opened.Root(), "jsonTool": "gojq"}
	for _, stored := range opened.Stored() {
		status[stored.List.String()] = statusOf(stored, stored.Count)
		if stored.List == catalog.Resources {
			status["ui"] = statusOf(stored, stored.Interfaces) // pages are resources
		}
	}
	return p.object(status)
}

func statusOf(stored catalog.Stored, count int) listStatus {
	s := listStatus{Status: "present", Path: stored.Path, Count: count}
	if errors.Is(stored.Err, fs.ErrNotExist) {
		s.Status = "missing"
		return s
	}
	modified := stored.Modified.Unix()
	s.MTime = &modified
	if stored.Err != nil {
		s.Status, s.Error = "broken", stored.Err.Error()
		return s
	}
	s.Hash = &stored.Hash
	return s
}

// A registryRefresh is one run of refresh.
type registryRefresh struct {
	program
	quiet  bool
	filter string
}

// A listOutcome is the outcome for a list.
type listOutcome struct {
	Status string  `json:"status"` // ok, failed or skipped
	Count  int     `json:"count"`
	Error  *string `json:"error"`
}

func (r registryRefresh) run() error {
	opened, settings, err := r.registryOf(nil)
	if err != nil {
		return err
	}
	lists := catalog.Tools | catalog.Resources | catalog.Templates | catalog.Prompts
	if r.filter != "" {
		if lists &= opened.ListsAt(r.filter); lists == 0 {
			return console.Usagef("--filter %s: no list depends on it; name a path in tools/, resources/, prompts/, "+
				"completions/, ui/ or server.d/", r.filter)
		}
	}
	outcomes := map[string]any{"notificationsSent": false, "mode": "full"}
	for _, key := range []string{"tools", "resources", "resourceTemplates", "prompts", "ui"} {
		outcomes[key] = listOutcome{Status: "skipped"}
	}
	ctx, stop := untilEnded(context.Background())
	defer stop()
	seen := map[string]bool{} // a file can hold several lists
	for _, refreshed := range opened.Refresh(ctx, lists) {
		outcome := listOutcome{Status: "ok", Count: refreshed.Count}
		if refreshed.Err == nil {
			refreshed.Err = withinLimit(opened, refreshed.List, settings.MaxRegistry)
		}
		if refreshed.Err != nil {
			reason := refreshed.Err.Error()
			outcome.Status, outcome.Error = "failed", &reason
			r.exit(1)
			r.complain("%s: %s", refreshed.List, reason)
		}
		outcomes[refreshed.List.String()] = outcome
		if refreshed.List == catalog.Resources {
			outcome.Count = refreshed.Interfaces
			outcomes["ui"] = outcome
		}
		for _, f := range refreshed.Faults {
			if text := f.String(); !seen[text] && !(r.quiet && f.Warning) {
				seen[text] = true
				r.complain("%s", text)
			}
		}
	}
	if r.quiet {
		return nil
	}
	return r.object(outcomes)
}

// withinLimit returns an error if the file of a list is larger than allowed.
func withinLimit(p *catalog.Project, list catalog.Kinds, limit int) error {
	for _, stored := range p.Stored() {
		info, err := os.Stat(stored.Path)
		if stored.List == list && err == nil && info.Size() > int64(limit) {
			return fmt.Errorf("%s has %d bytes; MCPBASH_REGISTRY_MAX_BYTES allows %d", stored.Path, info.Size(), limit)
		}
	}
	return nil
}

// registryOf opens the project to read its files, even if the settings, which it returns too, ask to
// serve the cached lists.
func (p program) registryOf(log *slog.Logger) (*catalog.Project, operator.Settings, error) {
	root, s, complaints, err := p.served()
	p.complainOf(complaints)
	if err != nil {
		return nil, s, err
	}
	s.Static = false
	opened, err := p.open(s, root, log)
	return opened, s, err
}

// object prints an object as JSON: indented on a terminal, otherwise on one line.
func (p program) object(v any) error {
	if isTerminal(p.out) {
		return p.console(p.out).JSON(v)
	}
	return p.line(v)
}
