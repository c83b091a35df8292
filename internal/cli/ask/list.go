package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/dial"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// A Kind is a kind of things that servers list.
type Kind struct {
	Name           string // as users write it, as in templates
	method, member string // of the request, and in its result
}

// Kinds are all of them, in the order in which they are printed.
var Kinds = []Kind{
	{"tools", "tools/list", "tools"},
	{"resources", "resources/list", "resources"},
	{"templates", "resources/templates/list", "resourceTemplates"},
	{"prompts", "prompts/list", "prompts"},
}

// listed are those that List prints: a few servers have interceptors, too.
var listed = append(slices.Clip(Kinds), Kind{"interceptors", interceptor.MethodList, "interceptors"})

// KindNames returns their names.
func KindNames() (names []string) {
	for _, k := range listed {
		names = append(names, k.Name)
	}
	return names
}

// CheckKind returns an error unless words is empty or names one kind.
func CheckKind(words []string) error {
	names := KindNames()
	switch {
	case len(words) > 1:
		return console.Usagef("list takes one kind at most")
	case len(words) == 0 || slices.Contains(names, words[0]):
		return nil
	}
	hint := cmp.Or(suggest.Question(suggest.Meant(words[0], names)...), "write one of "+strings.Join(names, ", "))
	return console.Usagef("cannot list %q; %s", words[0], hint)
}

// List prints the items of the kinds in only; if it is empty, of all kinds that the
// server has. A list that is refused does not hide the others: its error is returned after them.
func (a *Client) List(ctx context.Context, only []string) error {
	found := map[string][]json.RawMessage{}
	var refused error // the first
	for _, k := range listed {
		if len(only) > 0 && !slices.Contains(only, k.Name) {
			continue
		}
		items, err := a.Items(ctx, k)
		var absent *jsonrpc2.Error
		switch {
		case err == nil:
			found[k.Name] = items
		case len(only) > 0:
			return err
		case !errors.As(err, &absent) || absent.Code != jsonrpc2.CodeMethodNotFound:
			refused = cmp.Or(refused, err)
		}
	}
	return cmp.Or(a.print(found, only), refused)
}

// print prints what was listed.
func (a *Client) print(found map[string][]json.RawMessage, only []string) error {
	switch {
	case a.JSON && len(only) > 0:
		return a.Print(json.Marshal(found[only[0]]))
	case a.JSON:
		return a.Print(json.Marshal(found))
	}
	c := a.Printer()
	for _, k := range listed {
		items, has := found[k.Name]
		if !has {
			continue
		}
		if len(only) == 0 {
			if len(items) == 0 {
				continue
			}
			c.Say("%s:", k.Name)
		}
		for _, item := range items {
			var i Item
			if err := json.Unmarshal(item, &i); err != nil {
				return fmt.Errorf("%s: %w", k.method, err)
			}
			i.Print(c)
		}
	}
	return nil
}

// Items returns all items of a kind, as the server has sent them.
func (a *Client) Items(ctx context.Context, k Kind) ([]json.RawMessage, error) {
	return dial.All(ctx, a.Server, k.method, k.member)
}

// An Item is an item of any list, with what people are shown of it.
type Item struct {
	Name        string
	URI         string
	URITemplate string
	Title       string
	Description string
	InputSchema struct {
		Properties map[string]struct{ Type, Enum any }
		Required   []string
	}
	Arguments []struct {
		Name     string
		Required bool
	}
}

// Key returns the name or URI that the item is requested by.
func (i Item) Key() string {
	switch {
	case i.URI != "":
		return i.URI
	case i.URITemplate != "":
		return i.URITemplate
	}
	return i.Name
}

// Print shows the item to people.
func (i Item) Print(c *console.Console) {
	name := i.Key()
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
func (i Item) arguments() (words []string) {
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
