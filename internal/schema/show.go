package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// The maximum number of bytes that a message shows of one value, and of a list.
const (
	shownBytes = 80
	shownList  = 200
)

// show returns a value as JSON on one line, truncated if it is long.
func show(v any) string {
	var p preview
	p.value(v)
	return p.String()
}

// A preview is the beginning of a JSON text.
type preview struct {
	strings.Builder
	done bool // the rest was cut off
}

func (p *preview) value(v any) {
	switch v := v.(type) {
	case string:
		p.WriteString(quote(v))
	case json.Number:
		p.WriteString(showNumber(v))
	case []any:
		p.WriteByte('[')
		for i, item := range v {
			if p.next(i) {
				p.value(item)
			}
		}
		p.end(']')
	case map[string]any:
		p.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if p.next(i) {
				p.WriteString(quote(name) + ":")
				p.value(v[name])
			}
		}
		p.end('}')
	case nil:
		p.WriteString("null")
	default: // bool and int
		fmt.Fprint(p, v)
	}
}

// next prepares for element i, and returns false if there is no room for it.
func (p *preview) next(i int) bool {
	switch {
	case p.done:
		return false
	case p.Len() > shownBytes:
		p.WriteString("…")
		p.done = true
		return false
	case i > 0:
		p.WriteByte(',')
	}
	return true
}

func (p *preview) end(bracket byte) {
	if !p.done {
		p.WriteByte(bracket)
	}
}

// quote returns a string as JSON.
func quote(s string) string {
	cut := cutAt(s, shownBytes)
	quoted := string(json.Quote(cut))
	if len(cut) < len(s) {
		return strings.TrimSuffix(quoted, `"`) + `…"`
	}
	return quoted
}

// showNumber returns 1.50 as 1.5, as if converted to a float64 and back, and numbers that
// a float64 does not represent exactly in their original spelling.
func showNumber(n json.Number) string {
	if fitsFloat(n) {
		f, _ := n.Float64()
		return strconv.FormatFloat(f+0, 'f', -1, 64) // +0 makes 0 of -0
	}
	return clip(string(n))
}

// actual returns a value of a document for a message. For arrays and objects, which can
// be large, it returns the size instead.
func actual(v any) string {
	switch v := v.(type) {
	case []any:
		return "array of " + count(len(v), "item")
	case map[string]any:
		return "object with " + count(len(v), "property")
	}
	return show(v)
}

// actualTyped is actual with the JSON type of the value.
func actualTyped(v any) string {
	switch v.(type) {
	case bool:
		return "boolean " + show(v)
	case string:
		return "string " + show(v)
	case json.Number:
		return "number " + show(v)
	}
	return actual(v)
}

// count returns a number with the singular or plural of a thing.
func count(n any, thing string) string {
	switch number := show(n); {
	case number == "1":
		return number + " " + thing
	case thing == "property":
		return number + " properties"
	default:
		return number + " " + thing + "s"
	}
}

// size returns the number of characters, items or properties of a value.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// list returns as many of the values as there is room for and the number of the others.
func list[V any](values []V, show func(V) string) string {
	var out strings.Builder
	for i, value := range values {
		if out.Len() > shownList {
			fmt.Fprintf(&out, " and %d more", len(values)-i)
			break
		}
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(show(value))
	}
	return out.String()
}

// clip returns the beginning of a long text.
func clip(s string) string {
	if cut := cutAt(s, shownBytes); len(cut) < len(s) {
		return cut + "…"
	}
	return s
}

// clipPointer returns the last tokens of a long pointer.
func clipPointer(s string) string {
	if len(s) <= shownBytes {
		return s
	}
	_, tokens, ok := strings.Cut(s[len(s)-shownBytes:], "/")
	if !ok {
		return clip(s)
	}
	return "…/" + tokens
}

// cutAt cuts s to at most n bytes, between two characters.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
