package sdk

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

func jsonEscape(args []string) answer { return print(string(json.Quote(arg(args, 0)))) }

// jsonObject returns an object built from names and values, all strings. The last value of
// a name is used.
func jsonObject(args []string) answer {
	if len(args)%2 != 0 {
		return helperError(1, "%q has no value; pass names and values alternately", args[len(args)-1])
	}
	var o object
	for pair := range slices.Chunk(args, 2) {
		o = append(o, member{pair[0], json.Quote(pair[1])})
	}
	return print(string(o.unique().value()))
}

func jsonArray(args []string) answer { return print(string(quoted(args))) }

// quoted returns texts as a JSON array.
func quoted(texts []string) json.Value {
	all := make([]json.Value, len(texts))
	for i, s := range texts {
		all[i] = json.Quote(s)
	}
	return json.Array(all)
}

// isOneValue reports whether text is exactly one JSON value.
func isOneValue(text string) bool {
	return utf8.ValidString(text) && json.Value(text).IsValid(json.Lenient)
}

// compact returns a JSON value without white space, and whether text is one value. Order,
// numbers and strings stay as they were written.
func compact(text string) (json.Value, bool) {
	v := json.Value(strings.ToValidUTF8(text, "\ufffd"))
	return v, v.Compact(json.Lenient) == nil
}

// A member is a member of an object, with its value as it was written.
type member struct {
	name  string
	value json.Value
}

// An object keeps the order of its members.
type object []member

// parseObject parses an object; ok is false if text is not an object. The last value of
// a name is used.
func parseObject(text json.Value) (object, bool) {
	var o object
	for m, err := range json.Members(text, '{', json.Lenient) {
		if err != nil {
			return nil, false
		}
		o = append(o, member{m.Name, m.Value})
	}
	return o.unique(), true
}

// unique keeps the last value of each name, at the place of the first.
func (o object) unique() object {
	at := make(map[string]int, len(o))
	kept := o[:0]
	for _, m := range o {
		if i, seen := at[m.name]; seen {
			kept[i].value = m.value
			continue
		}
		at[m.name] = len(kept)
		kept = append(kept, m)
	}
	return kept
}

func (o object) index(name string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.name == name })
}

// get returns the value of a member, nil if it is missing.
func (o object) get(name string) json.Value {
	if i := o.index(name); i >= 0 {
		return o[i].value
	}
	return nil
}

// text returns the text of a member, "" if it is not a string.
func (o object) text(name string) string { return json.Text(o.get(name)) }

// with sets a member, in place if it exists, else at the end.
func (o object) with(name string, value json.Value) object {
	if i := o.index(name); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, member{name, value})
}

func (o object) value() json.Value {
	pairs := make([]any, 0, 2*len(o))
	for _, m := range o {
		pairs = append(pairs, m.name, m.value)
	}
	return json.Object(pairs...)
}

// unquote returns the text of a JSON string, and whether v is one.
func unquote(v json.Value) (string, bool) { return json.Text(v), v.Kind() == '"' }
