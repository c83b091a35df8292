package main

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/doctor"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

func doctorCommand(p program) *cobra.Command {
	e := examination{program: p}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the machine: bash, PATH, permissions, temporary files, variables",
		Long: `Doctor checks what a server needs besides its project:

  - the version of bash
  - the programs that scripts call, and whether desktop programs find them, which do not
    read the start files of your shell
  - the folder for temporary files, permissions and line ends
  - unknown variables and invalid values
  - that no script gets out of the sandbox
  - server.d/requirements.json, and server.d/health-checks.sh if
    MCPBASH_ALLOW_PROJECT_HOOKS is true
  - what in the project behaves differently on purpose than in mcp-bash 1.x, the Bash
    program (docs/MIGRATING.md has all of it)

With --as it starts the server as that client does, with the few variables that it
has there, and lists the tools that it gets.

The exit code is 0, 1 if something does not work, and 2 for a wrong command line.`,
		Example: `  mcp-bash doctor
  mcp-bash doctor --as claude-desktop
  mcp-bash doctor --fix --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return e.run() },
	}
	cmd.Flags().BoolVar(&e.asJSON, "json", false, "print the findings for programs")
	cmd.Flags().BoolVar(&e.fix, "fix", false, "make scripts executable, and remove CR LF and byte order marks")
	cmd.Flags().BoolVar(&e.dryRun, "dry-run", false, "with --fix: show what would be fixed, and change nothing")
	cmd.Flags().StringVar(&e.as, "as", "", "start the server as this `client` does: claude-desktop, cursor, vscode, ...")
	completes(cmd, "as", clientNames())
	cmd.Flags().StringVar(&e.minVersion, "min-version", "", "fail if mcp-bash is older than this `version`")
	return cmd
}

// An examination is one run of doctor.
type examination struct {
	program
	asJSON, fix, dryRun bool
	as, minVersion      string
}

// doctorResult is the outcome, as JSON.
type doctorResult struct {
	doctor.Report
	Client *clientTrial `json:"client,omitempty"`
}

// clientTrial is the outcome of starting the server as a client does.
type clientTrial struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	clients.Report
	Error string `json:"error,omitempty"`
}

func (e examination) run() error {
	if e.minVersion != "" && !doctor.IsVersion(e.minVersion) {
		return console.Usagef("--min-version: %q is not a version; write one as in 1.2.0", e.minVersion)
	}
	root, err := e.project()
	if named := *e.projectRoot != "" || e.env["MCPBASH_PROJECT_ROOT"] != ""; err != nil && (named || e.as != "") {
		return err
	}
	ctx, stop := untilEnded(context.Background())
	defer stop()
	machine := e.machine()
	desktop := clients.Environment(machine)
	var client *clients.Client
	if e.as != "" {
		found, err := clients.Find(e.as)
		if err != nil {
			return console.UsageError{Err: err}
		}
		client, desktop = &found, found.Environment(machine)
	}
	o, remove, err := e.options(root, desktop)
	if err != nil {
		return err
	}
	defer remove()
	var outcome doctorResult
	if outcome.Report, err = doctor.Examine(ctx, o); err != nil {
		return err
	}
	if client != nil {
		outcome.Client = e.try(ctx, *client, machine)
		if !outcome.Client.OK {
			outcome.Errors++
			outcome.ExitCode = 1
		}
	}
	e.exit(outcome.ExitCode)
	out := e.console(e.out)
	if e.asJSON {
		return out.JSON(outcome)
	}
	printExamined(out, outcome)
	if e.dryRun {
		for _, f := range outcome.Findings {
			if f.Fixable {
				out.Say("dry run: --fix would fix: %s", f.Message)
			}
		}
	}
	return nil
}

// machine returns this machine, as clients see it.
func (p program) machine() clients.Machine {
	home, _ := os.UserHomeDir() // without a home folder, clients have none either
	return clients.Machine{OS: runtime.GOOS, Home: home, Env: p.env}
}

// options returns the doctor's options for the project in root, or for no project if root is empty. remove deletes the
// files that it needs on disk.
func (e examination) options(root string, desktop []string) (o doctor.Options, remove func(), err error) {
	settings, complaints := operator.Read(e.env)
	if root != "" {
		settings, complaints, _ = e.readProject(root) // its settings have the refusal
	}
	unknown := operator.UnknownVariables(e.env) // the doctor reports them itself
	complaints = slices.DeleteFunc(complaints, func(c string) bool { return slices.Contains(unknown, c) })
	if settings.Refusal != nil {
		complaints = append(complaints, settings.Refusal.Error()+"; nothing is served")
	}
	if *e.unusableTemp != "" {
		complaints = append(complaints, *e.unusableTemp)
	}
	if root != "" {
		complaints = append(complaints, operator.StrayFolders(settings, root)...)
	}
	self, err := os.Executable()
	if err != nil {
		return o, nil, err
	}
	o = doctor.Options{
		Program: self, Version: version, MinVersion: e.minVersion, System: runtime.GOOS + "/" + runtime.GOARCH,
		Env: e.env, Desktop: desktop, Meant: operator.Meant, CageAll: settings.Sandbox,
		Complaints: complaints, Temp: settings.Temp, Cgroup: settings.Cgroup, Root: root,
	}
	if o.Temp == "" {
		o.Temp = os.TempDir()
	}
	if root == "" {
		o.Check.Runner = &process.Runner{}
		return o, func() {}, nil
	}
	if o.Check, remove, err = e.checking(settings, root); err != nil {
		return o, nil, err
	}
	o.Check.Fix = e.fix && !e.dryRun
	o.ServerDir = files.InRoot(root, cmp.Or(settings.Folders.Server, "server.d"))
	o.RegistryDir = files.InRoot(root, cmp.Or(settings.Folders.Registry, ".registry"))
	o.Health = e.healthHook(hooks.Rules{Allowed: settings.Policy.Hooks.Others()}, root, o.ServerDir, o.Check.Runner)
	return o, remove, nil
}

// try starts the server as a client does.
func (e examination) try(ctx context.Context, c clients.Client, m clients.Machine) *clientTrial {
	t := &clientTrial{Name: c.Name}
	_, entry, err := e.server()
	if err == nil {
		t.Report, err = clients.Try(ctx, c.Launch(m, entry))
	}
	if t.OK = err == nil; !t.OK {
		t.Error = err.Error()
	}
	return t
}

// printExamined shows people what was found.
func printExamined(out *console.Console, r doctorResult) {
	for _, a := range r.ActionsTaken {
		out.OK("%s", a.Message)
	}
	for _, f := range r.Findings {
		shows(out, f.Severity)("%s", f.Message)
		if f.Command != "" {
			out.Hint("%s", f.Command)
		}
	}
	if r.Runtime.BashVersion != "" {
		out.OK("bash %s: %s", r.Runtime.BashVersion, r.Runtime.BashPath)
	}
	if r.Runtime.TempRootWritable {
		out.OK("temporary files: %s", r.Runtime.TempRoot)
	}
	for _, reason := range r.Runtime.LimitsNotHeld {
		out.Say("limits of scripts: %s", reason)
	}
	if r.Runtime.Sandbox {
		out.OK("sandbox: scripts cannot leave it; all known ways were tried")
	} else {
		out.Say("no sandbox for tools: %s", r.Runtime.SandboxMissing)
	}
	if r.Project == nil {
		out.Say("no project here: only the machine was checked")
	} else {
		out.OK("project: %s, %s", r.Project.Root, console.Count(r.Project.Tools, "tool"))
	}
	if c := r.Client; c != nil {
		printTried(out, c)
	}
	if r.Errors > 0 {
		out.Fail("%s, %s", console.Count(r.Errors, "error"), console.Count(r.Warnings, "warning"))
		out.Hint("to see what a client and the server say to each other, write debug in the place of serve in the client's " +
			"entry, then `mcp-bash explain FILE`; `mcp-bash docs debugging` has the other ways")
		return
	}
	out.OK("mcp-bash %s is ready, %s", r.Framework.Version, console.Count(r.Warnings, "warning"))
}

func printTried(out *console.Console, c *clientTrial) {
	if !c.OK {
		out.Fail("%s cannot use the server: %s", c.Name, c.Error)
		if text := strings.TrimSpace(c.Stderr); text != "" {
			out.Hint("%s", text)
		}
		return
	}
	out.OK("as %s: %s %s answers, %s", c.Name, c.Server, c.Version, console.Count(len(c.Tools), "tool"))
	for _, name := range c.Tools {
		out.Hint("%s", name)
	}
}
