package clients

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// tomlFormat is TOML, with a table for each entry.
type tomlFormat struct{}

func (tomlFormat) decode(text string) (map[string]any, error) {
	all := make(map[string]any)
	err := toml.Unmarshal([]byte(text), &all)
	if fault, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := fault.Position()
		return nil, &SyntaxError{Line: line, Column: column, Reason: strings.TrimPrefix(fault.Error(), "toml: ")}
	}
	return all, err
}

// table writes an entry as a table of its own.
func (f tomlFormat) table(text string, path []string, entry object) (string, error) {
	newline := newlineOf(text)
	table := "[" + dotted(path) + "]" + newline
	for _, m := range entry {
		table += tomlKey(m.name) + " = " + tomlValue(m.value) + newline
	}
	old := pieces(text, path)
	if len(old) == 1 && old[0].table {
		return text[:old[0].from] + table + text[old[0].to:], nil
	}
	text, err := f.remove(text, path, false)
	if err == nil && text != "" {
		text = lineEnd(text, newline) + newline
	}
	return text + table, err
}

// remove can ignore the parent: it only exists through its tables.
func (tomlFormat) remove(text string, path []string, _ bool) (string, error) {
	for _, p := range slices.Backward(pieces(text, path)) {
		head := text[:p.from]
		if p.table { // with the blank line that sets a table off
			for _, blank := range []string{"\r\n\r\n", "\n\n"} {
				if short, ok := strings.CutSuffix(head, blank); ok {
					head = short + newlineOf(blank)
					break
				}
			}
		}
		text = head + text[p.to:]
	}
	return text, nil
}

// A piece is a range of lines of an entry: a table with its keys and the tables below it, or a key of another table.
type piece struct {
	from, to int
	table    bool
}

// pieces finds the lines of an entry in a valid text.
func pieces(text string, path []string) (found []piece) {
	inside := false
	for _, t := range itemsOf(text) {
		ours := startsWith(t.path, path)
		switch {
		case t.header && ours && inside:
			found[len(found)-1].to = t.to
		case t.header:
			if inside = ours; ours {
				found = append(found, piece{t.from, t.to, true})
			}
		case ours && !inside && !t.inline:
			found = append(found, piece{startOfLine(text, t.from), endOfLine(text, t.to), false})
		}
	}
	return found
}

func startsWith(path, start []string) bool {
	return len(path) >= len(start) && slices.Equal(path[:len(start)], start)
}

var bareKey = lazyregexp.New(`^[A-Za-z0-9_-]+$`)

func tomlKey(name string) string {
	if bareKey.Get().MatchString(name) {
		return name
	}
	return tomlValue(name)
}

// tomlValue formats a value on one line. TOML accepts the escapes of JSON; only DEL needs one more.
func tomlValue(value any) string {
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			return "{}"
		}
		var all []string
		for _, m := range v {
			all = append(all, tomlKey(m.name)+" = "+tomlValue(m.value))
		}
		return "{ " + strings.Join(all, ", ") + " }"
	case []string:
		var all []string
		for _, text := range v {
			all = append(all, tomlValue(text))
		}
		return "[" + strings.Join(all, ", ") + "]"
	default:
		return strings.ReplaceAll(quote(v), "\x7f", `\u007f`)
	}
}
