package project

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An objectWriter writes a JSON object. Absent values are left out.
type objectWriter struct{ b []byte }

func (w *objectWriter) name(name string) {
	if len(w.b) == 0 {
		w.b = append(w.b, '{')
	} else {
		w.b = append(w.b, ',')
	}
	w.b = quote(w.b, name)
	w.b = append(w.b, ':')
}

// quote appends a string; invalid UTF-8 in it is replaced.
func quote(b []byte, text string) []byte {
	b, _ = json.AppendQuote(b, text)
	return b
}

func (w *objectWriter) json(name string, value json.Value) {
	if value != nil {
		w.name(name)
		w.b = append(w.b, value...)
	}
}

func (w *objectWriter) text(name, value string) {
	if value != "" {
		w.name(name)
		w.b = quote(w.b, value)
	}
}

func (w *objectWriter) texts(name string, values []string) {
	w.name(name)
	w.b = append(w.b, '[')
	for i, value := range values {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = quote(w.b, value)
	}
	w.b = append(w.b, ']')
}

func (w *objectWriter) flag(name string, value bool) {
	w.name(name)
	w.b = strconv.AppendBool(w.b, value)
}

// positive writes a number that is absent if it is 0.
func (w *objectWriter) positive(name string, value int64) {
	if value > 0 {
		w.count(name, value)
	}
}

// textMap writes an object of strings.
func (w *objectWriter) textMap(name string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	var each objectWriter
	for _, key := range slices.Sorted(maps.Keys(values)) {
		each.name(key)
		each.b = quote(each.b, values[key])
	}
	w.json(name, each.object())
}

func (w *objectWriter) count(name string, value int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, value, 10)
}

func (w *objectWriter) seconds(name string, value *time.Duration) {
	if value != nil {
		w.name(name)
		w.b = json.AppendFloat(w.b, value.Seconds(), 64)
	}
}

// object ends the object.
func (w *objectWriter) object() json.Value {
	if len(w.b) == 0 {
		return json.Value("{}")
	}
	return append(w.b, '}')
}
