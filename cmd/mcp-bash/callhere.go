package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// callHere holds the flags of call that say how the project's own server is set up. Another server, after --, has its
// own.
type callHere struct {
	all *pflag.FlagSet

	roots               []string
	dryRun, verbose     bool
	printEnv            bool
	minimal, noRefresh  bool
	allowSelf, allowAll bool
	allow               []string
	serverEnv           bool
	source              []string
}

func (h *callHere) flags(of *pflag.FlagSet) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.StringSliceVar(&h.roots, "roots", nil,
		"`folders` that the tool works in, with commas between (default: MCPBASH_ROOTS, config/roots.json, the project)")
	f.BoolVar(&h.dryRun, "dry-run", false, "only show what would be called")
	f.BoolVarP(&h.verbose, "verbose", "v", false, "pass the tool's stderr on as it is written")
	f.BoolVar(&h.printEnv, "print-env", false, "only print the variables that depend on these flags")
	f.BoolVar(&h.minimal, "minimal", false, "set MCPBASH_MODE for the tool as a server in minimal mode does")
	f.BoolVar(&h.noRefresh, "no-refresh", false, "take the lists as .registry has them, without looking at the project")
	f.BoolVar(&h.allowSelf, "allow-self", false, "allow this tool, whatever the operator's policy is")
	f.StringSliceVar(&h.allow, "allow", nil, "allow these `tools`")
	f.BoolVar(&h.allowAll, "allow-all", false, "allow all tools")
	f.BoolVar(&h.serverEnv, "with-server-env", false,
		"run server.d/env.sh first, whatever is in it, and pass its variables on")
	f.StringArrayVar(&h.source, "source", nil,
		"run this shell `file` too, after it; its path begins at the project's folder")
	of.AddFlagSet(f)
	h.all = f
}

// prepare sets up the project's server of a as the flags say. It reports whether that is all, because they only ask
// what would be called.
func (h *callHere) prepare(a *clientCommand, tool string, args int, timeout float64) (done bool, err error) {
	if a.other() {
		h.all.VisitAll(func(f *pflag.Flag) {
			if f.Changed {
				err = console.Usagef("--%s is for tools of the project, and this is another server", f.Name)
			}
		})
		return false, err
	}
	if a.root, err = a.project(); err != nil {
		return false, err
	}
	s, err := h.readSettings(a)
	if err == nil {
		err = h.adjust(&s, tool)
	}
	if err != nil {
		return false, console.UsageError{Err: err}
	}
	a.settings = &s
	switch {
	case h.printEnv:
		return true, h.printVariables(a)
	case h.noRefresh:
		if err := a.keptTools(); err != nil {
			return false, err
		}
	}
	if h.dryRun {
		return true, h.printPlan(a, tool, args, timeout)
	}
	return false, nil
}

// readSettings returns the settings for the project, with the variables that the sourced files set.
func (h *callHere) readSettings(a *clientCommand) (s operator.Settings, err error) {
	var sourced, complaints []string
	h.serverEnv = h.serverEnv || a.sourcesServerEnv()
	if !h.printEnv {
		if sourced, err = h.sourceFiles(a); err != nil {
			return s, err
		}
	}
	if h.serverEnv { // otherwise the file is read as data, or run if that is allowed
		s, complaints = operator.Read(a.env)
		s = s.WithServerFolder(a.root)
		err = s.Refusal
	} else {
		s, complaints, err = a.readProject(a.root)
	}
	if err != nil {
		return s, err
	}
	a.complainOf(complaints)
	s.ProjectEnv = append(s.ProjectEnv,
		operator.Isolation(server.Visibility{Mode: server.Inherit}).Environment(sourced)...)
	return s, nil
}

// adjust applies the flags to the settings.
func (h *callHere) adjust(s *operator.Settings, tool string) error {
	if len(h.roots) > 0 {
		absolute := make([]string, len(h.roots))
		for i, root := range h.roots {
			path, err := filepath.Abs(root)
			if err != nil {
				return fmt.Errorf("--roots: %w", err)
			}
			if info, err := os.Stat(path); err != nil || !info.IsDir() {
				return fmt.Errorf("--roots: %s is not a folder", root)
			}
			absolute[i] = path
		}
		s.Roots = absolute
	}
	s.Static = s.Static || h.noRefresh
	s.StreamStderr = s.StreamStderr || h.verbose
	if h.minimal || s.Minimal { // only passed to the tool: it does not change what is served here
		s.Minimal, s.ProjectEnv = false, append(s.ProjectEnv, "MCPBASH_MODE=minimal")
	}
	s.Policy.Allow = append(s.Policy.Allow, h.allow...)
	if h.allowSelf {
		s.Policy.Allow = append(s.Policy.Allow, tool)
	}
	if h.allowAll {
		s.Policy.Allow = []string{"*"}
	}
	return nil
}

// keptTools returns an error if the cached list of tools, which --no-refresh relies on, cannot be
// read. If there is none, the project is read.
func (p program) keptTools() error {
	opened, _, err := p.registryOf(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	for _, list := range opened.Stored() {
		if list.List == catalog.Tools && list.Err != nil && !errors.Is(list.Err, fs.ErrNotExist) {
			return fmt.Errorf("invalid tools registry cache: %s: %w; rewrite it with `mcp-bash registry refresh`", list.Path,
				list.Err)
		}
	}
	return nil
}

// printPlan prints what would be called.
func (h *callHere) printPlan(a *clientCommand, tool string, args int, timeout float64) error {
	quiet := slog.New(slog.DiscardHandler)
	opened, err := a.program.open(*a.settings, a.root, quiet)
	if err != nil {
		return err
	}
	tools, err := opened.Tools(context.Background())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(tools.Items, func(t *catalog.Tool) bool { return t.Name == tool })
	if at < 0 {
		return fmt.Errorf("tool not found: %s; %s", tool, ask.Instead(tool, namesOf(tools.Items)))
	}
	found := tools.Items[at]
	limit := max(a.settings.Limits.ToolTimeout, 0).Seconds()
	if found.Timeout != nil {
		limit = found.Timeout.Seconds()
	}
	if timeout > 0 {
		limit = timeout
	}
	listed := func() []roots.Root {
		found, _ := opened.Roots() // the server reports its faults
		return found
	}
	c := a.console(a.out)
	c.Say("Tool: %s", found.Name)
	c.Say("Args: %d bytes", args)
	c.Say("Roots: %d", len(roots.Fallback(a.root, a.settings.Roots, listed, quiet)))
	c.Say("Timeout: %gs", limit)
	c.Say("Status: Ready to execute (%s)", cmp.Or(found.Path, found.Program))
	return nil
}

// printVariables prints the variables that depend on the flags.
func (h *callHere) printVariables(a *clientCommand) error {
	mode := "full"
	if slices.Contains(a.settings.ProjectEnv, "MCPBASH_MODE=minimal") {
		mode = "minimal"
	}
	lines := []string{
		"MCPBASH_PROJECT_ROOT=" + a.root,
		"MCPBASH_MODE=" + mode,
	}
	if h.serverEnv {
		lines = append(lines, "WILL_SOURCE_SERVER_ENV="+a.serverEnvFile(a.root))
	}
	for i, file := range h.source {
		lines = append(lines, fmt.Sprintf("WILL_SOURCE[%d]=%s", i, sourceFile(a.root, file)))
	}
	if len(a.settings.Roots) == 0 {
		lines = append(lines, "ROOTS=none")
	}
	for i, root := range a.settings.Roots {
		lines = append(lines, fmt.Sprintf("ROOT[%d]=%s", i, root))
	}
	_, err := fmt.Fprintln(a.out, strings.Join(lines, "\n"))
	return err
}
