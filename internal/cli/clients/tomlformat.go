package clients

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// tomlFormat is TOML, with a table for each entry.
type tomlFormat struct{}

func (tomlFormat) decode(text string) (map[string]any, error) {
	all := make(map[string]any)
	err := toml.Unmarshal([]byte(text), &all)
	var fault *toml.DecodeError
	if errors.As(err, &fault) {
		line, column := fault.Position()
		return nil, &SyntaxError{Line: line, Column: column, Reason: strings.TrimPrefix(fault.Error(), "toml: ")}
	}
	return all, err
}

func (f tomlFormat) put(text string, at place, entry object) (string, error) {
	newline := newlineOf(text)
	table := "[" + tomlKey(at.parent) + "." + tomlKey(at.name) + "]" + newline
	for _, m := range entry {
		table += tomlKey(m.name) + " = " + tomlValue(m.value) + newline
	}
	old := pieces(text, at)
	if len(old) == 1 && old[0].table {
		return text[:old[0].from] + table + text[old[0].to:], nil
	}
	text, err := f.remove(text, at, false)
	if err != nil {
		return "", err
	}
	if text != "" {
		if !strings.HasSuffix(text, "\n") {
			text += newline
		}
		text += newline
	}
	return text + table, nil
}

// remove can ignore the parent: it only exists through its tables.
func (tomlFormat) remove(text string, at place, _ bool) (string, error) {
	for _, p := range slices.Backward(pieces(text, at)) {
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

// A piece is a range of lines of an entry: a table with its keys, or a key of another table.
type piece struct {
	from, to int
	table    bool
}

// pieces finds the lines of an entry in a valid text.
func pieces(text string, at place) (found []piece) {
	entry := []string{at.parent, at.name}
	var table []string
	inside := false
	var p unstable.Parser
	p.Reset([]byte(text))
	for p.NextExpression() {
		e := p.Expression()
		var key []string
		start := 0
		for k := e.Key(); k.Next(); {
			if key == nil {
				start = startOfLine(text, int(k.Node().Raw.Offset))
			}
			key = append(key, string(k.Node().Data))
		}
		if e.Kind == unstable.KeyValue {
			end := endOfLine(text, int(e.Raw.Offset+e.Raw.Length))
			switch {
			case inside:
				found[len(found)-1].to = end
			case startsWith(slices.Concat(table, key), entry):
				found = append(found, piece{from: start, to: end})
			}
			continue
		}
		table = key
		if !startsWith(table, entry) {
			inside = false
			continue
		}
		end := endOfLine(text, start)
		if inside { // a table below the entry's own
			found[len(found)-1].to = end
			continue
		}
		inside = true
		found = append(found, piece{start, end, true})
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
