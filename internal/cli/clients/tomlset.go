package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlItem is a key with a value, or the header of a table.
type tomlItem struct {
	path   []string // from the top of the file
	table  []string // of the header above it
	header bool
	inline bool // in the braces of a value
	// from and to enclose the value of a key; for a header, its line and the keys below it.
	from, to int
}

// set keeps the form that the members of an entry have: a table, keys with dots, or a value in braces.
func (f tomlFormat) set(text string, path []string, v any) (string, error) {
	if entry, ok := v.(object); ok && len(path) == 2 {
		return f.table(text, path, entry)
	}
	items := itemsOf(text)
	at, name := path[:len(path)-1], path[len(path)-1]
	value := tomlValue(v)
	line := tomlKey(name) + " = " + value
	if i := slices.IndexFunc(items, func(t tomlItem) bool { return !t.header && slices.Equal(t.path, path) }); i >= 0 {
		return text[:items[i].from] + value + text[items[i].to:], nil
	}
	if i := slices.IndexFunc(items, func(t tomlItem) bool { return slices.Equal(t.path, at) }); i >= 0 {
		if items[i].header {
			return insertLine(text, items[i].to, line), nil
		}
		return insertInline(text, items[i], line), nil
	}
	i := slices.IndexFunc(items, func(t tomlItem) bool { return startsWith(t.path, at) })
	switch {
	case i < 0 || items[i].inline:
		return "", fmt.Errorf("%q is formatted in a way that cannot be edited safely: edit it by hand", strings.Join(at, "."))
	case items[i].header: // only tables below the entry's own
		return insertLine(text, items[i].from, "["+dotted(at)+"]"+newlineOf(text)+line), nil
	}
	return insertLine(text, endOfLine(text, items[i].to), dotted(at[len(items[i].table):])+"."+line), nil
}

func dotted(path []string) string {
	var keys []string
	for _, name := range path {
		keys = append(keys, tomlKey(name))
	}
	return strings.Join(keys, ".")
}

// insertLine adds a line before the one that starts at an offset.
func insertLine(text string, offset int, line string) string {
	newline := newlineOf(text)
	head := text[:offset]
	if head != "" {
		head = lineEnd(head, newline)
	}
	return head + line + newline + text[offset:]
}

// insertInline adds a key at the start of a value in braces.
func insertInline(text string, t tomlItem, line string) string {
	rest := strings.TrimLeft(text[t.from+1:], " \t")
	if rest[0] != '}' {
		line += ","
	}
	return text[:t.from+1] + " " + line + " " + rest
}

// itemsOf lists the keys and headers of a valid text in order, with the keys in braces.
func itemsOf(text string) (items []tomlItem) {
	var p unstable.Parser
	p.Reset([]byte(text))
	header := -1
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		path, start, _ := tomlKeyOf(e)
		if e.Kind != unstable.KeyValue {
			table, header = path, len(items)
			from := startOfLine(text, start)
			items = append(items, tomlItem{path: path, table: path, header: true, from: from, to: endOfLine(text, from)})
			continue
		}
		items = appendKey(items, text, table, tomlItem{table: table}, e)
		if header >= 0 {
			items[header].to = endOfLine(text, int(e.Raw.Offset+e.Raw.Length))
		}
	}
	return items
}

// appendKey appends a key below a path, then those in the braces of its value.
func appendKey(items []tomlItem, text string, below []string, t tomlItem, e *unstable.Node) []tomlItem {
	key, _, end := tomlKeyOf(e)
	t.path = slices.Concat(below, key)
	t.to = int(e.Raw.Offset + e.Raw.Length)
	equals := end + strings.IndexByte(text[end:], '=') + 1
	t.from = equals + len(text[equals:]) - len(strings.TrimLeft(text[equals:], " \t"))
	items = append(items, t)
	if e.Value().Kind != unstable.InlineTable {
		return items
	}
	path := t.path
	t.inline = true
	for all := e.Value().Children(); all.Next(); {
		if all.Node().Kind == unstable.KeyValue {
			items = appendKey(items, text, path, t, all.Node())
		}
	}
	return items
}

// tomlKeyOf returns the names of a key or header, and where they start and end.
func tomlKeyOf(e *unstable.Node) (path []string, start, end int) {
	start = -1
	for k := e.Key(); k.Next(); {
		raw := k.Node().Raw
		if start < 0 {
			start = int(raw.Offset)
		}
		end = int(raw.Offset + raw.Length)
		path = append(path, string(k.Node().Data))
	}
	return path, start, end
}
