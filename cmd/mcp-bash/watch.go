package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/watch"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
)

func watchCommand(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "watch [PID|PROJECT]",
		Short: "Show what your running servers do",
		Long: `Show the servers that you have running, whichever clients have started them: their
project and client, calls in flight with their age, how many calls there were and how
they ended, the slowest tools, which rules refused calls and what failed, the last errors
and lines of the log. Servers in front of others (` + "`mcp-bash wrap`" + `) are among them. A number
names one server by its process, anything else those of a project, by its folder or the
folder's name, or that of wrap --name; so does -C PROJECT.

On a terminal it is drawn anew as things happen, until q or ctrl-c; elsewhere, and with
--json, it is printed once.

Every server listens on the socket status.sock in its private folder, which other users
cannot enter, and writes a line of JSON to whoever connects; the members are those that
--json prints. A server that nobody watches only counts. Servers are looked for where
this command would make such a folder itself (MCPBASH_STATE_DIR, MCPBASH_TMP_ROOT,
TMPDIR) and in the usual folders for temporary files, on Linux everywhere. One with a
private folder whose path has more than 87 bytes is not shown.`,
		Example: `  mcp-bash watch
  mcp-bash watch -C path/to/project
  mcp-bash watch 4711
  mcp-bash watch --json | jq '.[].inFlight'`,
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := ""
			switch {
			case len(args) == 1 && *p.projectRoot != "":
				return console.Usagef("give either a server or -C, not both")
			case len(args) == 1:
				name = args[0]
			case *p.projectRoot != "":
				var err error
				if name, err = p.project(); err != nil {
					return err
				}
			}
			return p.watch(name, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print snapshots of the servers as JSON, once")
	return cmd
}

func (p program) watch(name string, asJSON bool) error {
	ctx, stop := untilEnded(context.Background())
	defer stop()
	find := func() []string { return watch.Find(p.stateParents()) }
	if !asJSON && isTerminal(p.out) && p.env["TERM"] != "dumb" {
		look := watch.Look{Colour: p.env["NO_COLOR"] == "", Title: "mcp-bash watch", Empty: noServers}
		if name != "" {
			look.Title += " " + name
			look.Empty = "no server of yours is named " + name
		}
		return watch.Live(ctx, p.in, p.out, look, find, watch.Named(name))
	}
	view := watch.Once(ctx, find()).Keep(watch.Named(name))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if asJSON {
		servers := view.Servers
		if servers == nil {
			servers = []status.Snapshot{}
		}
		return p.console(p.out).JSON(servers)
	}
	if len(view.Servers) == 0 && name != "" {
		return fmt.Errorf("no server of yours is named %s; `mcp-bash watch` lists all", name)
	}
	if len(view.Servers)+len(view.Silent) == 0 {
		p.console(p.out).Say("%s", noServers)
		return nil
	}
	_, err := fmt.Fprint(p.out, console.Fit(watch.Text(view), columns(p.out), 2))
	return err
}

const noServers = "no server of yours is running; clients start them"

// stateParents returns the folders in which servers create their private folders, as far as this
// environment shows.
func (p program) stateParents() (parents []string) {
	s, _ := operator.Read(p.env)
	for _, folder := range append([]string{s.StateParent, s.Temp, os.TempDir()}, otherTemps()...) {
		if folder != "" {
			parents = append(parents, folder)
		}
	}
	return parents
}
