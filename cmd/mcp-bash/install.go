package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// An installation holds the options of install and uninstall.
type installation struct {
	program
	clients             []string
	wrap                []string // patterns of the names of servers that the client has
	env                 []string // as NAME=value
	name, scope, file   string
	dryRun, force, json bool
}

// flags adds the flags of both commands; wrap describes one of them.
func (i *installation) flags(cmd *cobra.Command, wrap string) {
	f := cmd.Flags()
	f.StringSliceVar(&i.clients, "client", nil, "the clients: "+known())
	completes(cmd, "client", clientNames())
	f.StringArrayVar(&i.wrap, "wrap", nil, wrap)
	f.StringVar(&i.name, "name", "", "what the server is called in the client's file (default: the name of the project)")
	f.StringVar(&i.scope, "scope", string(clients.User),
		"whose file: the user's, or the one in the folder you are in (project)")
	completes(cmd, "scope", []string{string(clients.User), string(clients.Project)})
	f.StringVar(&i.file, "file", "", "edit the file at this `path` instead of the client's usual one")
	f.BoolVar(&i.dryRun, "dry-run", false, "show what would change and write nothing")
	f.BoolVar(&i.json, "json", false, "print what happened as JSON")
}

func installCommand(p program) *cobra.Command {
	i := installation{program: p}
	cmd := &cobra.Command{
		Use:   "install [CLIENT]...",
		Short: "Put the project into a client's configuration, and try it",
		Long: `Put the project into a client's configuration file, and try it.

It shows what changes, keeps a copy of the file beside it (FILE.NAME.mcp-bash.bak),
adds one entry and leaves everything else as it is, comments and other servers too.
If the project has an entry already, what you added to it stays: variables, a timeout.
Tools do not get all variables of an entry: --env adds one that they get, and the settings
for that.
Then it starts the very entry that it wrote, with the bare environment that the client
has, and asks the server for its tools. uninstall takes it all back.

Without a client it lists those on this machine. --client NAME is another way to
name one.

With --wrap NAME a server that the client has already runs behind ` + "`mcp-bash wrap`" + `, with
the flags after --. uninstall --wrap NAME takes that back.

The exit code is 1 if the client cannot start the server, or if the project has
errors, which are shown; the entry is in the file then too.`,
		Example: `  mcp-bash install claude-desktop
  mcp-bash install cursor vscode --dry-run
  mcp-bash install claude-code --scope project
  mcp-bash install cursor --env GITHUB_TOKEN --env TZ=UTC
  mcp-bash install cursor --wrap github -- --deny 'delete_*'
  mcp-bash install cursor --wrap '*'`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: clientNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, flags, err := splitAtDash(cmd, args)
			if err != nil {
				return err
			}
			i.clients = append(i.clients, own...)
			if len(i.wrap) > 0 {
				if err := p.wrapFlags(flags); err != nil {
					return err
				}
				program, err := self()
				if err != nil {
					return err
				}
				return i.rewrap(func(f clients.File) (clients.Change, []string, error) { return f.Wrap(i.wrap, program, flags) })
			}
			if flags != nil {
				return console.Usagef("what follows -- are flags of wrap: name a server with --wrap")
			}
			if len(i.clients) == 0 && (i.file != "" || i.name != "" || i.dryRun || i.force) {
				return console.Usagef("name the clients: %s", known())
			} else if len(i.clients) == 0 {
				return i.list()
			}
			name, entry, err := p.server()
			if err != nil {
				return err
			}
			if i.name == "" {
				i.name = name
			}
			if err := p.complete(i.env); err != nil {
				return err
			}
			results, err := i.each(func(f clients.File, m clients.Machine, r *result) error {
				return i.install(cmd.Context(), f, m, entry, r)
			})
			if err != nil {
				return err
			}
			if slices.ContainsFunc(results, (*result).starts) {
				if err := i.addProblems(cmd.Context(), results); err != nil {
					return err
				}
			}
			return i.print(results)
		},
	}
	i.flags(cmd, "run this `server` of the client behind wrap, or all that a pattern such as '*' matches")
	cmd.Flags().BoolVar(&i.force, "force", false, "replace an entry of that name that serves something else")
	passes(cmd, &i.env)
	return cmd
}

// passes adds --env to a command.
func passes(cmd *cobra.Command, env *[]string) {
	cmd.Flags().StringArrayVar(env, "env", nil,
		"a variable for the entry that tools get too, as `NAME[=VALUE]`; without a value, yours")
}

// complete makes each variable of --env NAME=value.
func (p program) complete(env []string) (err error) {
	for i, v := range env {
		if env[i], err = p.variable(v); err != nil {
			return err
		}
	}
	return nil
}

// variable returns a variable of --env as NAME=value.
func (p program) variable(v string) (string, error) {
	name, _, given := strings.Cut(v, "=")
	if !variableName.Get().MatchString(name) {
		return "", console.Usagef("--env %s: write NAME=VALUE, or NAME for a variable that you have", v)
	}
	if given {
		return v, nil
	}
	value, set := p.env[name]
	if !set {
		return "", console.Usagef("--env %s: this variable is not set here: write %[1]s=VALUE", name)
	}
	return name + "=" + value, nil
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// passing returns the entry with the variables of --env, and with the settings by which tools get those that they
// would not have otherwise.
func passing(env []string, e, old clients.Entry) clients.Entry {
	more, tools := operator.Map(env), []string(nil)
	for name := range more {
		unseen := len(operator.Isolation(server.Visibility{}).Environment([]string{name + "="})) == 0
		if unseen && !slices.Contains(operator.ServerNames(), name) {
			tools = append(tools, name)
		}
	}
	return e.Passing(more, tools, old)
}

// A result is the outcome for one client.
type result struct {
	Client  string          `json:"client"`
	File    string          `json:"file"`
	Name    string          `json:"name,omitzero"`
	Changed bool            `json:"changed"`
	Diff    string          `json:"diff,omitzero"`
	Backup  string          `json:"backup,omitzero"`
	Server  *clients.Report `json:"server,omitzero"`
	Error   string          `json:"error,omitzero"`

	// Problems are the errors of the project, which the client starts nevertheless.
	Problems []check.Message `json:"problems,omitempty"`
}

// starts reports whether the client has started the server.
func (r *result) starts() bool { return r.Server != nil && r.Error == "" }

// each calls do for every client, even after one has failed.
func (i *installation) each(do func(clients.File, clients.Machine, *result) error) (results []*result, err error) {
	if i.name != "" {
		if err := clients.CheckName(i.name); err != nil {
			return nil, console.UsageError{Err: err}
		}
	}
	files, m, err := i.files()
	if err != nil {
		return nil, console.UsageError{Err: err}
	}
	for _, f := range files {
		r := &result{Client: f.Client.Name, File: f.Path, Name: i.name}
		results = append(results, r)
		if err := do(f, m, r); err != nil {
			r.Error = err.Error()
			i.exit(1)
			i.messages(i.json).Fail("%v", err)
		}
	}
	return results, nil
}

// print prints the results for programs; people have read them.
func (i *installation) print(results []*result) error {
	if i.json {
		return i.console(i.out).JSON(results)
	}
	return nil
}

// addProblems shows the errors of the project, although clients start it.
func (i *installation) addProblems(ctx context.Context, results []*result) error {
	found, err := i.problems(ctx)
	if err != nil || len(found) == 0 {
		return err
	}
	i.exit(1)
	for _, r := range results {
		r.Problems = found
	}
	const most = 5 // problems shown
	say := i.messages(i.json)
	say.Fail("not everything in the project works: %s", console.Count(len(found), "error"))
	for _, m := range found[:min(len(found), most)] {
		say.Hint("%s", m.Place()+m.Message)
	}
	more, where := "", ""
	if len(found) > most {
		more = fmt.Sprintf("and %d more; ", len(found)-most)
	}
	if *i.projectRoot != "" {
		where = " -C " + console.Quote(*i.projectRoot)
	}
	say.Hint("%s`mcp-bash validate%s` shows what to do", more, where)
	return nil
}

// problems are the errors of the project, as validate finds them.
func (p program) problems(ctx context.Context) ([]check.Message, error) {
	root, settings, _, err := p.served()
	if err != nil {
		return nil, err
	}
	o, remove, err := p.checking(settings, root)
	if err != nil {
		return nil, err
	}
	defer remove()
	r, err := check.Project(ctx, root, o)
	return slices.DeleteFunc(r.Messages, func(m check.Message) bool { return m.Level != check.Error }), err
}

// files returns the file of every chosen client.
func (i *installation) files() (files []clients.File, m clients.Machine, err error) {
	if i.scope != string(clients.User) && i.scope != string(clients.Project) {
		return nil, m, fmt.Errorf("--scope %s: write user or project", i.scope)
	}
	if i.file != "" && len(i.clients) > 1 {
		return nil, m, errors.New("--file is for one client: name only one")
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, m, err
	}
	if i.file != "" && !filepath.IsAbs(i.file) {
		i.file = filepath.Join(here, i.file)
	}
	m = i.machine()
	for _, name := range i.clients {
		c, err := clients.Find(name)
		if err != nil {
			return nil, m, err
		}
		f := clients.File{Client: c, Path: i.file}
		if i.file == "" {
			if f, err = c.File(m, clients.Scope(i.scope), here); err != nil {
				return nil, m, err
			}
		}
		files = append(files, f)
	}
	return files, m, nil
}

// change applies what plan changes in the file of a client, unless it is empty or a dry run, and shows it.
func (i *installation) change(f clients.File, r *result,
	plan func() (clients.Change, error)) (c clients.Change, err error) {
	say := i.messages(i.json)
	// Under the lock: another process may change the same file.
	err = f.Locked(func() (err error) {
		if c, err = plan(); err != nil || c.Empty() {
			return err
		}
		r.Diff = c.Diff()
		say.Diff(r.Diff)
		if i.dryRun {
			say.Say("nothing was written (--dry-run)")
			return nil
		}
		err = c.Apply()
		r.Changed = err == nil
		return err
	})
	return c, err
}

func (i *installation) install(ctx context.Context, f clients.File, m clients.Machine, e clients.Entry,
	r *result) error {
	say, title := i.messages(i.json), f.Client.Title
	change, err := i.change(f, r, func() (clients.Change, error) {
		old, _ := f.Entry(i.name) // Install reports what is wrong with the file
		return f.Install(i.name, passing(i.env, e, old), i.force)
	})
	switch {
	case err != nil:
		return err
	case change.Empty():
		say.OK("%s has the entry %q already: %s", title, i.name, f.Path)
	case !i.dryRun:
		say.OK("wrote the entry %q to %s", i.name, f.Path)
		if r.Backup = change.Backup; r.Backup != "" {
			say.Hint("the file as it was: %s", r.Backup)
		}
	}
	if i.dryRun {
		return nil
	}
	written, err := f.Entry(i.name)
	if err != nil {
		return err
	}
	report, err := clients.Try(ctx, f.Client.Launch(m, written))
	r.Server = &report
	if err != nil {
		say.Fail("%s cannot start it: %v", title, err)
		if tail := strings.TrimSpace(report.Stderr); tail != "" {
			say.Hint("%s", tail)
		}
		say.Hint("the entry is in the file; to remove it: %s", i.undo(f))
		r.Error = err.Error()
		i.exit(1)
		return nil
	}
	say.OK("%s starts it: %s", title, console.Count(len(report.Tools), "tool"))
	say.Hint("restart %s to see it; to remove it: %s", title, i.undo(f))
	return nil
}

// undo returns the command that removes the entry.
func (i *installation) undo(f clients.File) string {
	words := "mcp-bash uninstall --client " + f.Client.Name + " --name " + i.name
	if i.file != "" {
		return words + " --file " + console.Quote(i.file)
	}
	if i.scope != string(clients.User) {
		words += " --scope " + i.scope
	}
	return words
}

// list prints which clients are installed, and how to choose.
func (i *installation) list() error {
	m, say := i.machine(), i.messages(i.json)
	var found []clients.Client
	results := []result{}
	for _, c := range clients.All() {
		if c.Present(m) {
			found = append(found, c)
			results = append(results, result{Client: c.Name, File: c.Paths(m, clients.User, "")[0]})
		}
	}
	if i.json {
		return i.console(i.out).JSON(results)
	}
	if m.Home == "" {
		say.Warn("your home folder is not known, so clients that keep their files there are missing; set HOME")
	}
	if len(found) == 0 {
		say.Warn("no client was found on this machine")
		say.Hint("name the one to prepare for: mcp-bash install NAME\nknown clients: %s", known())
		return nil
	}
	say.Say("clients on this machine:")
	for _, r := range results {
		say.Say("  %-15s %s", r.Client, r.File)
	}
	say.Hint("choose one, as in: mcp-bash install %s", found[0].Name)
	return nil
}
