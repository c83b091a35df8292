package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// The kinds of things that servers list.
var kinds = []struct{ name, method, member string }{
	{"tools", "tools/list", "tools"},
	{"resources", "resources/list", "resources"},
	{"templates", "resources/templates/list", "resourceTemplates"},
	{"prompts", "prompts/list", "prompts"},
}

func listCommand(p program) *cobra.Command {
	a := clientCommand{program: p}
	cmd := &cobra.Command{
		Use:   "list [tools|resources|templates|prompts]",
		Short: "List what a server offers",
		Long:  `List what clients see: tools with their arguments, resources, templates of resources, and prompts.`,
		Example: `  mcp-bash list
  mcp-bash list tools --json
  mcp-bash list prompts -- npx some-server`,
		ValidArgs: kindNames(),
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := a.words(cmd, args, 0, 1, "one kind at most")
			if err != nil {
				return err
			}
			if err := listable(words); err != nil {
				return usageError{err}
			}
			return a.ask(func(ctx context.Context) error { return a.list(ctx, words) })
		},
	}
	a.flags(cmd)
	return cmd
}

func kindNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// listable returns an error unless words is empty or names one kind.
func listable(words []string) error {
	names := kindNames()
	switch {
	case len(words) > 1:
		return errors.New("list takes one kind at most")
	case len(words) == 0 || slices.Contains(names, words[0]):
		return nil
	}
	hint := "write one of " + strings.Join(names, ", ")
	if meant := suggest.Of(words[0], names); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	return fmt.Errorf("cannot list %q; %s", words[0], hint)
}

// list prints the items of the kinds in only; if it is empty, of all kinds that the
// server has.
func (a *clientCommand) list(ctx context.Context, only []string) error {
	found := map[string][]json.RawMessage{}
	for _, k := range kinds {
		if len(only) > 0 && !slices.Contains(only, k.name) {
			continue
		}
		items, err := a.all(ctx, k.method, k.member)
		switch {
		case err != nil && len(only) > 0:
			return err
		case err == nil: // otherwise the server does not have this kind
			found[k.name] = items
		}
	}
	if a.json {
		if len(only) > 0 {
			return a.marshalled(found[only[0]])
		}
		return a.marshalled(found)
	}
	c := a.printer()
	for _, k := range kinds {
		items, listed := found[k.name]
		if !listed {
			continue
		}
		if len(only) == 0 {
			if len(items) == 0 {
				continue
			}
			c.Say("%s:", k.name)
		}
		for _, item := range items {
			var i listItem
			if err := json.Unmarshal(item, &i); err != nil {
				return fmt.Errorf("%s: %w", k.method, err)
			}
			i.say(c)
		}
	}
	return nil
}

func (a *clientCommand) marshalled(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return a.raw(data)
}

// A listItem is an item of any list, with what people are shown of it.
type listItem struct {
	Name        string
	URI         string
	URITemplate string
	Title       string
	Description string
	InputSchema struct {
		Properties map[string]struct{ Type any }
		Required   []string
	}
	Arguments []struct {
		Name     string
		Required bool
	}
}

// key returns the name or URI that the item is requested by.
func (i listItem) key() string {
	switch {
	case i.URI != "":
		return i.URI
	case i.URITemplate != "":
		return i.URITemplate
	}
	return i.Name
}

func (i listItem) say(c *console.Console) {
	name := i.key()
	if arguments := i.arguments(); len(arguments) > 0 {
		name += " " + strings.Join(arguments, " ")
	}
	c.Say("  %s", name)
	about := i.Description
	if about == "" {
		about = i.Title
	}
	if about != "" {
		first, _, _ := strings.Cut(strings.TrimSpace(about), "\n")
		c.Hint("  %s", first)
	}
}

// arguments returns the arguments as `call` and `get` take them, optional ones in
// brackets.
func (i listItem) arguments() (words []string) {
	for _, name := range i.InputSchema.Required {
		if p, ok := i.InputSchema.Properties[name]; ok {
			words = append(words, argumentWord(name, p.Type))
		}
	}
	var optional []string
	for name, p := range i.InputSchema.Properties {
		if !slices.Contains(i.InputSchema.Required, name) {
			optional = append(optional, "["+argumentWord(name, p.Type)+"]")
		}
	}
	slices.Sort(optional)
	words = append(words, optional...)
	for _, arg := range i.Arguments {
		if word := argumentWord(arg.Name, "string"); arg.Required {
			words = append(words, word)
		} else {
			words = append(words, "["+word+"]")
		}
	}
	return words
}

func argumentWord(name string, kind any) string {
	if kind, ok := kind.(string); ok {
		return name + "=" + strings.ToUpper(kind)
	}
	return name + "=VALUE"
}
