package main

import (
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/clients"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// wrapFlags checks the flags of wrap that install puts into an entry, where they are read in another folder.
func (p program) wrapFlags(words []string) error {
	cmd := wrapCommand(p)
	if err := cmd.ParseFlags(words); err != nil {
		return console.Usagef("after --: %w", err)
	}
	if own := cmd.Flags().Args(); len(own) > 0 {
		return console.Usagef("after --: %s is not a flag of wrap; the command is that of the entry", own[0])
	}
	if cmd.Flags().Changed("url") {
		return console.Usagef("after --: leave out --url; the server is that of the entry")
	}
	for _, name := range []string{"pin", "record", "log-file", "trace-file", "token-file"} {
		if path := cmd.Flag(name).Value.String(); path != "" && !filepath.IsAbs(path) {
			return console.Usagef("after --: --%s %s: write an absolute path, as the client starts the server in another folder",
				name, path)
		}
	}
	return nil
}

// rewrap changes how servers that the clients have already are started.
func (i *installation) rewrap(plan func(clients.File) (clients.Change, []string, error)) error {
	if len(i.clients) == 0 {
		return console.Usagef("name the clients: %s", known())
	}
	if i.name != "" || len(i.env) > 0 || i.force {
		return console.Usagef("--wrap is for servers that the client has: leave out --name, --env and --force")
	}
	results, err := i.each(func(f clients.File, _ clients.Machine, r *result) error {
		say := i.messages(i.json)
		var names []string
		change, err := i.change(f, r, func() (c clients.Change, err error) {
			c, names, err = plan(f)
			return c, err
		})
		r.Name = strings.Join(names, ",")
		for _, why := range change.Left {
			say.Warn("%v", why)
		}
		switch {
		case err != nil:
			return err
		case change.Empty():
			say.OK("nothing to change: %s", f.Path)
		case i.dryRun:
		case change.Restored:
			say.OK("%s is again what it was before install --wrap", f.Path)
		default:
			say.OK("changed %s in %s", strings.Join(names, ", "), f.Path)
			if r.Backup = change.Backup; r.Backup != "" {
				say.Hint("the file as it was: %s", r.Backup)
			}
			say.Hint("restart %s; `mcp-bash watch` shows what passes", f.Client.Title)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return i.print(results)
}
