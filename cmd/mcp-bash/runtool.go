package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// A toolRun holds the options of run-tool.
type toolRun struct {
	args                string // JSON, @FILE, or - for stdin
	roots               []string
	timeout             float64 // seconds; 0: as usual
	dryRun, verbose     bool
	printEnv, json      bool
	minimal, noRefresh  bool
	allowSelf, allowAll bool
	allow               []string
	serverEnv           bool
	source              []string
	sourced             []string // NAME=value that the sourced files set
	arguments           json.RawMessage
	settings            operator.Settings
	name, root          string
}

func runToolCommand(p program) *cobra.Command {
	var r toolRun
	cmd := &cobra.Command{
		Use:   "run-tool NAME",
		Short: "Call a tool of the project and print its result",
		Long: `Call a tool as a client would: through the same stages, checks and limits, in this
process. On a terminal the result is printed as text, elsewhere and with --json as JSON.
What the tool logs while it works goes to stderr, and its progress is drawn there if that
is a terminal. A tool that asks its user asks you at the terminal.

The exit code is 0 for every result, also for one with isError, and 1 for a call
that is refused, such as one of an unknown tool.`,
		Example: `  mcp-bash run-tool hello
  mcp-bash run-tool hello --args '{"name":"you"}'
  mcp-bash run-tool report --args @args.json --roots . --timeout 120 --verbose`,
		Args:              one("name"),
		ValidArgsFunction: p.completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTimeout(cmd, r.timeout); err != nil {
				return err
			}
			r.name = args[0]
			return p.runTool(r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.args, "args", "{}", "the arguments: a JSON object, @`FILE`, or - for stdin")
	f.StringSliceVar(&r.roots, "roots", nil,
		"`folders` that the tool works in, with commas between (default: MCPBASH_ROOTS, config/roots.json, the project)")
	f.Float64Var(&r.timeout, "timeout", 0, "`seconds` it may run, instead of its own timeout")
	f.BoolVar(&r.json, "json", false, "print the result as JSON")
	f.BoolVar(&r.dryRun, "dry-run", false, "only show what would be called")
	f.BoolVarP(&r.verbose, "verbose", "v", false, "pass the tool's stderr on as it is written")
	f.BoolVar(&r.printEnv, "print-env", false, "only print the variables that depend on these flags")
	f.BoolVar(&r.minimal, "minimal", false, "set MCPBASH_MODE for the tool as a server in minimal mode does")
	f.BoolVar(&r.noRefresh, "no-refresh", false, "take the lists as .registry has them, without looking at the project")
	f.BoolVar(&r.allowSelf, "allow-self", false, "allow this tool, whatever the operator's policy is")
	f.StringSliceVar(&r.allow, "allow", nil, "allow these `tools`")
	f.BoolVar(&r.allowAll, "allow-all", false, "allow all tools")
	f.BoolVar(&r.serverEnv, "with-server-env", false,
		"run server.d/env.sh first, whatever is in it, and pass its variables on")
	f.StringArrayVar(&r.source, "source", nil,
		"run this shell `file` too, after it; its path begins at the project's folder")
	return cmd
}

// runTool calls a tool.
func (p program) runTool(r toolRun) error {
	var err error
	if r.root, err = p.project(); err != nil {
		return err
	}
	if r.arguments, err = r.readArguments(p.in); err != nil {
		return console.UsageError{Err: err}
	}
	if r.serverEnv = r.serverEnv || p.sourcesServerEnv(); !r.printEnv {
		if err := p.sourceFiles(&r); err != nil {
			return err
		}
	}
	var complaints []string
	if r.serverEnv { // otherwise the file is read as data, or run if that is allowed
		r.settings, complaints = operator.Read(p.env)
		r.settings = r.settings.WithServerFolder(r.root)
		err = r.settings.Refusal
	} else {
		r.settings, complaints, err = p.readProject(r.root)
	}
	if err != nil {
		return console.UsageError{Err: err}
	}
	r.settings.ProjectEnv = append(r.settings.ProjectEnv,
		operator.Isolation(server.Visibility{Mode: server.Inherit}).Environment(r.sourced)...)
	p.complainOf(complaints)
	if err := r.adjust(&r.settings); err != nil {
		return console.UsageError{Err: err}
	}
	if r.printEnv {
		return p.printEnv(r)
	}
	if r.noRefresh {
		if err := p.keptTools(); err != nil {
			return err
		}
	}
	return p.callTool(r)
}

// readArguments returns the JSON of --args.
func (r toolRun) readArguments(stdin io.Reader) (json.RawMessage, error) {
	text, from := []byte(r.args), "--args"
	var err error
	switch path, isFile := strings.CutPrefix(r.args, "@"); {
	case isFile:
		from = path
		text, err = os.ReadFile(path)
	case r.args == "-":
		from = "stdin"
		text, err = io.ReadAll(stdin)
	}
	if err != nil {
		return nil, fmt.Errorf("--args: %w", err)
	}
	var object map[string]json.Value
	if json.Value(text).Kind() != '{' {
		return nil, fmt.Errorf(`%s must be a JSON object, as in --args '{"name":"you"}'`, from)
	}
	if err := json.Unmarshal(text, &object, json.AllowInvalidUTF8(true)); err != nil {
		return nil, fmt.Errorf("%s must be a JSON object, as in --args '{\"name\":\"you\"}': %s", from, jsonError(err))
	}
	return text, nil
}

// jsonError describes where a text is not valid JSON.
func jsonError(err error) string {
	if fault := (*json.SyntacticError)(nil); errors.As(err, &fault) {
		return fmt.Sprintf("%v at byte %d", fault.Err, fault.ByteOffset+1)
	}
	return err.Error()
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

// adjust applies the flags to the settings.
func (r toolRun) adjust(s *operator.Settings) error {
	if len(r.roots) > 0 {
		absolute := make([]string, len(r.roots))
		for i, root := range r.roots {
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
	s.Static = s.Static || r.noRefresh
	s.StreamStderr = s.StreamStderr || r.verbose
	if r.minimal || s.Minimal { // only passed to the tool: it does not change what is served here
		s.Minimal, s.ProjectEnv = false, append(s.ProjectEnv, "MCPBASH_MODE=minimal")
	}
	s.Policy.Allow = append(s.Policy.Allow, r.allow...)
	if r.allowSelf {
		s.Policy.Allow = append(s.Policy.Allow, r.name)
	}
	if r.allowAll {
		s.Policy.Allow = []string{"*"}
	}
	return nil
}

// callTool serves the project to a client in this process, which calls the tool.
func (p program) callTool(r toolRun) error {
	if r.dryRun {
		return p.printPlan(r)
	}
	people := p.audience()
	ctx, stop := untilEnded(context.Background())
	defer stop()
	inside, err := p.serveInside(ctx, r.root, r.settings, "", nil, people, people.Beside(p.err))
	if err != nil {
		return err
	}
	defer inside.Close()
	result, err := inside.Call(ctx, "tools/call", ask.ToolCall(r.name, r.arguments, r.timeout))
	people.Leave()
	var refused *jsonrpc2.Error
	asText := isTerminal(p.out) && !r.json
	switch {
	case errors.As(err, &refused) && asText:
		if tools, found, errLook := p.lookUp(r); errLook == nil && found == nil {
			return fmt.Errorf("no tool is called %q; %s", r.name, toolHint(tools, r.name))
		}
		return ask.Readable(err)
	case errors.As(err, &refused):
		p.exit(1)
		if tools, found, err := p.lookUp(r); err == nil && found == nil {
			p.complain("no tool is called %q; %s", r.name, toolHint(tools, r.name))
		}
		return p.line(map[string]any{"_mcpToolError": true, "code": refused.Code, "message": refused.Message,
			"data": refused.Data})
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	}
	if asText {
		a := ask.Client{Out: p.out, Terminal: true, Printer: func() *console.Console { return p.console(p.out) }}
		failed, err := a.PrintResult(r.name, result)
		if failed {
			p.console(p.err).Fail("the tool has failed")
		}
		return err
	}
	if result, err = withName(r.name, result); err != nil {
		return err
	}
	if isTerminal(p.out) {
		return p.console(p.out).JSON(result)
	}
	_, err = fmt.Fprintf(p.out, "%s\n", result)
	return err
}

// withName adds the name of the tool as the first member of its result, so that scripts can tell
// the results of several tools apart.
func withName(tool string, result json.RawMessage) (json.RawMessage, error) {
	name, err := json.Marshal(tool)
	if err != nil {
		return nil, err
	}
	rest, isObject := strings.CutPrefix(strings.TrimSpace(string(result)), "{")
	if !isObject {
		return nil, fmt.Errorf("the result of %s is not an object: %s", tool, result)
	}
	comma := ","
	if strings.HasPrefix(strings.TrimSpace(rest), "}") {
		comma = ""
	}
	return json.RawMessage(`{"name":` + string(name) + comma + rest), nil
}

// lookUp returns the tools of the project, and the tool to call; nil if no tool has
// that name.
func (p program) lookUp(r toolRun) (tools []*catalog.Tool, found *catalog.Tool, err error) {
	opened, err := p.open(r.settings, r.root, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	list, err := opened.Tools(context.Background())
	if err != nil {
		return nil, nil, err
	}
	if at := slices.IndexFunc(list.Items, func(t *catalog.Tool) bool { return t.Name == r.name }); at >= 0 {
		found = list.Items[at]
	}
	return list.Items, found, nil
}

// fallbackRoots returns the folders that the tool works in without --roots.
func (p program) fallbackRoots(r toolRun) []roots.Root {
	quiet := slog.New(slog.DiscardHandler)
	listed := func() []roots.Root {
		opened, err := p.open(r.settings, r.root, quiet)
		if err != nil {
			return nil
		}
		found, _ := opened.Roots() // the server reports its faults
		return found
	}
	return roots.Fallback(r.root, r.settings.Roots, listed, quiet)
}

// printPlan prints what would be called.
func (p program) printPlan(r toolRun) error {
	tools, found, err := p.lookUp(r)
	switch {
	case err != nil:
		return err
	case found == nil:
		return fmt.Errorf("tool not found: %s; %s", r.name, toolHint(tools, r.name))
	}
	timeout := max(r.settings.Limits.ToolTimeout, 0).Seconds()
	if found.Timeout != nil {
		timeout = found.Timeout.Seconds()
	}
	if r.timeout > 0 {
		timeout = r.timeout
	}
	c := p.console(p.out)
	c.Say("Tool: %s", found.Name)
	c.Say("Args: %d bytes", len(r.arguments))
	c.Say("Roots: %d", len(p.fallbackRoots(r)))
	c.Say("Timeout: %gs", timeout)
	c.Say("Status: Ready to execute (%s)", cmp.Or(found.Path, found.Program))
	return nil
}

// printEnv prints the variables that depend on the flags.
func (p program) printEnv(r toolRun) error {
	mode := "full"
	if slices.Contains(r.settings.ProjectEnv, "MCPBASH_MODE=minimal") {
		mode = "minimal"
	}
	lines := []string{
		"MCPBASH_PROJECT_ROOT=" + r.root,
		"MCPBASH_MODE=" + mode,
	}
	if r.serverEnv {
		lines = append(lines, "WILL_SOURCE_SERVER_ENV="+p.serverEnvFile(r.root))
	}
	for i, file := range r.source {
		lines = append(lines, fmt.Sprintf("WILL_SOURCE[%d]=%s", i, sourceFile(r.root, file)))
	}
	if len(r.settings.Roots) == 0 {
		lines = append(lines, "ROOTS=none")
	}
	for i, root := range r.settings.Roots {
		lines = append(lines, fmt.Sprintf("ROOT[%d]=%s", i, root))
	}
	_, err := fmt.Fprintln(p.out, strings.Join(lines, "\n"))
	return err
}

func namesOf(tools []*catalog.Tool) []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return names
}

// toolHint suggests the tool that may be meant by an unknown name.
func toolHint(tools []*catalog.Tool, name string) string {
	const most = 10 // names listed
	names := namesOf(tools)
	switch meant := suggest.Of(name, names); {
	case meant != "":
		return "did you mean " + meant + "?"
	case len(names) == 0:
		return "the project has none; `mcp-bash scaffold tool NAME` makes one"
	case len(names) > most:
		return "there are " + strings.Join(names[:most], ", ") + " and others"
	}
	return "there is " + strings.Join(names, ", ")
}
