package dev

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/ask"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// offered holds the items of a server's lists as last read. It is safe for concurrent use.
type offered struct {
	looking sync.Mutex // held while the lists are read

	mu    sync.Mutex
	kinds map[string]map[string]string // items as JSON, by kind, by name or URI
}

// look reads all lists, and describes what was added, removed or changed since the last time.
func (o *offered) look(ctx context.Context, a *ask.Client) (news string) {
	o.looking.Lock()
	defer o.looking.Unlock()
	now := map[string]map[string]string{}
	var all []string
	for _, k := range ask.Kinds {
		items, err := a.Items(ctx, k)
		if err != nil {
			continue // the server does not have them
		}
		listed := map[string]string{}
		for _, item := range items {
			var i ask.Item
			if json.Unmarshal(item, &i) == nil {
				listed[i.Key()] = string(item)
			}
		}
		now[k.Name] = listed
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, k := range ask.Kinds {
		if d := difference(o.kinds[k.Name], now[k.Name]); d != "" {
			all = append(all, k.Name+": "+d)
		}
	}
	o.kinds = now
	return strings.Join(all, "; ")
}

func difference(before, now map[string]string) string {
	var gained, lost, changed []string
	for name, item := range now {
		old, had := before[name]
		switch {
		case !had:
			gained = append(gained, name)
		case old != item:
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, has := now[name]; !has {
			lost = append(lost, name)
		}
	}
	var all []string
	for _, part := range []struct {
		what  string
		names []string
	}{{"new", gained}, {"gone", lost}, {"changed", changed}} {
		if slices.Sort(part.names); len(part.names) > 0 {
			all = append(all, part.what+" "+strings.Join(part.names, ", "))
		}
	}
	return strings.Join(all, ", ")
}

// sum describes how many items there are of each kind.
func (o *offered) sum() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []string
	for _, k := range ask.Kinds {
		if n := len(o.kinds[k.Name]); n > 0 {
			all = append(all, console.Count(n, strings.TrimSuffix(k.Name, "s")))
		}
	}
	if all == nil {
		return "nothing is offered yet"
	}
	return strings.Join(all, ", ")
}

// names returns the names or URIs of a kind, sorted.
func (o *offered) names(kind string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.kinds[kind]))
}

// arguments returns the arguments of a tool or prompt, each followed by =, sorted. Where typed is already one of
// them, it returns that with each value that its schema lists.
func (o *offered) arguments(kind, name, typed string) (words []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var i ask.Item
	if json.Unmarshal([]byte(o.kinds[kind][name]), &i) != nil {
		return nil
	}
	argument, _, isNamed := strings.Cut(typed, "=")
	if p, ok := i.InputSchema.Properties[argument]; ok && isNamed {
		values, _ := p.Enum.([]any)
		if p.Type == "boolean" {
			values = []any{false, true}
		}
		for _, v := range values {
			if text := fmt.Sprint(v); v != nil && !strings.ContainsAny(text, " \t\n'\"\\") { // others need quotes
				words = append(words, argument+"="+text)
			}
		}
		return words
	}
	for name := range i.InputSchema.Properties {
		words = append(words, name+"=")
	}
	for _, arg := range i.Arguments {
		words = append(words, arg.Name+"=")
	}
	slices.Sort(words)
	return words
}

// complete returns the completions of the last word of a line, and where that word begins.
func (d *Session) complete(typed string) (words []string, from int) {
	from = strings.LastIndexAny(typed, " \t") + 1
	before := strings.Fields(typed[:from])
	var all []string
	switch {
	case len(before) == 0:
		all = d.offered.names("tools")
		for _, c := range commands {
			if c.name != "" {
				all = append(all, c.name)
			}
		}
	case before[0] == "help" && len(before) == 1:
		for _, kind := range ask.KindNames() {
			all = append(all, d.offered.names(kind)...)
		}
	case before[0] == "list" && len(before) == 1:
		all = ask.KindNames()
	case before[0] == "raw" && len(before) == 1:
		all = []string{"on", "off"}
	case before[0] == "read" && len(before) == 1:
		all = d.offered.names("resources")
	case before[0] == "get" && len(before) == 1:
		all = d.offered.names("prompts")
	case before[0] == "get":
		all = d.offered.arguments("prompts", before[1], typed[from:])
	case before[0] == "call" && len(before) == 1:
		all = d.offered.names("tools")
	case before[0] == "call":
		all = d.offered.arguments("tools", before[1], typed[from:])
	default:
		all = d.offered.arguments("tools", before[0], typed[from:])
	}
	for _, w := range all {
		if strings.HasPrefix(w, typed[from:]) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words, from
}
