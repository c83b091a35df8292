package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

func configCommand(p program) *cobra.Command {
	var client string
	var env []string
	var show, asJSON, inspector, wrapper, wrapperEnv bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print what a client needs to start the project",
		Long: `Print what a client needs to start the project: the text for its configuration
file, a line for the MCP Inspector, or a script that starts the server.

Only --wrapper writes a file; install edits those of clients for you.`,
		Example: `  mcp-bash config --client cursor
  mcp-bash config --json --env GITHUB_TOKEN
  mcp-bash config --wrapper > weather.sh`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			name, entry, err := p.server()
			if err != nil {
				return err
			}
			if err := p.complete(env); err != nil {
				return err
			}
			entry = passing(env, entry, clients.Entry{})
			switch {
			case inspector:
				_, err := fmt.Fprintln(p.out, clients.Inspector(entry))
				return err
			case wrapper || wrapperEnv:
				return p.wrapper(name, entry, wrapperEnv)
			case client == "" && !asJSON:
				return p.showConfig(name, entry)
			}
			c, err := clients.Find(client)
			if client != "" && err != nil {
				return console.UsageError{Err: err}
			}
			if asJSON {
				return p.console(p.out).JSON(namedEntry{name, entry})
			}
			text, err := c.Snippet(name, entry)
			if err != nil {
				return err
			}
			_, err = io.WriteString(p.out, text)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&client, "client", "", "print the text for one client's file: "+known())
	completes(cmd, "client", clientNames())
	f.BoolVar(&show, "show", false, "print the text for every client's file, and where it is (the default)")
	f.BoolVar(&asJSON, "json", false, "print name, command, args and env as JSON")
	f.BoolVar(&inspector, "inspector", false, "print a command line that opens the server in the MCP Inspector")
	f.BoolVar(&wrapper, "wrapper", false, "write a script that starts the server, NAME.sh in the project (on Windows "+
		"NAME.cmd too); print it if stdout is not a terminal")
	f.BoolVar(&wrapperEnv, "wrapper-env", false,
		"as --wrapper; the script reads the start files of the user's shells first")
	passes(cmd, &env)
	for _, script := range []string{"wrapper", "wrapper-env"} { // it has no place for values of variables
		cmd.MarkFlagsMutuallyExclusive("env", script)
	}
	cmd.MarkFlagsMutuallyExclusive("show", "client", "inspector", "wrapper", "wrapper-env")
	return cmd
}

// A namedEntry is an entry with its name, as JSON.
type namedEntry struct {
	Name string `json:"name"`
	clients.Entry
}

// known returns the names of all clients as text.
func known() string { return strings.Join(clientNames(), ", ") }

func clientNames() (names []string) {
	for _, c := range clients.All() {
		names = append(names, c.Name)
	}
	return names
}

// showConfig prints the entry for every client and the file it belongs in.
func (p program) showConfig(name string, e clients.Entry) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	m, say := p.machine(), p.console(p.out)
	for i, c := range clients.All() {
		text, err := c.Put("", name, e)
		if err != nil {
			return err
		}
		if i > 0 {
			say.Say("")
		}
		say.Say("%s (--client %s)", c.Title, c.Name)
		for _, scope := range []clients.Scope{clients.User, clients.Project} {
			if paths := c.Paths(m, scope, here); len(paths) > 0 {
				say.Hint("%s: %s", scope, paths[0])
			}
		}
		say.Text("\n" + strings.TrimSuffix(text, "\n"))
	}
	return nil
}

// wrapper writes the script that starts the server into the project; if stdout is not a terminal,
// it prints the script instead. On Windows the script is a batch file, with a shell script beside it:
// only a shell can read the startup files of shells.
func (p program) wrapper(name string, e clients.Entry, profile bool) error {
	root, err := p.project()
	if err != nil {
		return err
	}
	scripts := []struct{ name, text string }{{name + ".sh", clients.Wrapper(e.Command, root, profile)}}
	if runtime.GOOS == "windows" && !profile {
		scripts = slices.Insert(scripts, 0, struct{ name, text string }{name + ".cmd", clients.BatchWrapper(e.Command, root)})
	}
	if !isTerminal(p.out) {
		_, err := io.WriteString(p.out, scripts[0].text)
		return err
	}
	for _, s := range scripts {
		if err := writeNew(filepath.Join(root, s.name), s.text); err != nil {
			return err
		}
		p.console(p.out).OK("wrote %s", filepath.Join(root, s.name))
	}
	return nil
}

// writeNew writes a script, which must not exist yet.
func writeNew(path, text string) error {
	err := files.Make(path, []byte(text), 0o755)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: delete it first, or print the script with mcp-bash config --wrapper | cat", path)
	}
	return err
}
