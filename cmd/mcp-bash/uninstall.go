package main

import (
	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

func uninstallCommand(p program) *cobra.Command {
	i := installation{program: p}
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT...",
		Short: "Remove the project from a client's configuration",
		Long: `Remove the project from a client's configuration file.

If nothing but the entry has changed since install, the file becomes what it was, byte
for byte; a file that install created is deleted. Otherwise only the entry is removed.`,
		Example: `  mcp-bash uninstall cursor
  mcp-bash uninstall cursor --name weather
  mcp-bash uninstall cursor --wrap github`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: clientNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			i.clients = append(i.clients, args...)
			if len(i.wrap) > 0 {
				return i.rewrap(func(f clients.File) (clients.Change, []string, error) { return f.Unwrap(i.wrap) })
			}
			if len(i.clients) == 0 {
				return console.Usagef("name the clients: %s", known())
			}
			root := ""
			if i.name == "" { // an entry given by name may be of a project that no longer exists
				name, entry, err := p.server()
				if err != nil {
					return err
				}
				i.name = name
				root, _ = entry.Ours()
			}
			results, err := i.each(func(f clients.File, _ clients.Machine, r *result) error { return i.uninstall(f, root, r) })
			if err != nil {
				return err
			}
			return i.print(results)
		},
	}
	i.flags(cmd, "start this `server` without wrap again, or all that a pattern such as '*' matches; nothing is removed")
	cmd.Flags().BoolVar(&i.force, "force", false, "remove an entry of that name even if it does not start mcp-bash")
	return cmd
}

func (i *installation) uninstall(f clients.File, root string, r *result) error {
	say := i.messages(i.json)
	change, err := i.change(f, r, func() (clients.Change, error) { return f.Uninstall(i.name, root, i.force) })
	switch {
	case err != nil:
		return err
	case change.Empty():
		say.OK("%s has no entry %q: %s", f.Client.Title, i.name, f.Path)
		return nil
	case i.dryRun:
		return nil
	case change.Deleted:
		say.OK("deleted %s, which install had made", f.Path)
	case change.Restored:
		say.OK("%s is again what it was before install", f.Path)
	default:
		say.OK("removed the entry %q from %s", i.name, f.Path)
	}
	if _, err := f.Entry(i.name); err == nil {
		say.Hint("it had an entry %q then too; to remove that: %s", i.name, i.undo(f))
	}
	return nil
}
