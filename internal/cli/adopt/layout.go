package adopt

import (
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

const (
	lineLength = 110
	oneLine    = -1 << 30 // before a value that is not broken
)

// file returns an object as the text of a file.
func file(object json.Value) []byte { return []byte(laidOut(object, "", lineLength) + "\n") }

// laidOut returns JSON as people write it: an object or array is on one line if that is short enough. indent is that of
// its line, and before how much is in front of it there.
func laidOut(v json.Value, indent string, before int) string {
	kind := v.Kind()
	if kind != '{' && kind != '[' {
		return string(v)
	}
	var names []string
	var values []json.Value
	var flat strings.Builder
	for m, err := range json.Members(v, kind, json.Lenient) {
		if err != nil {
			return string(v)
		}
		name := ""
		if kind == '{' {
			name = string(json.Quote(m.Name)) + ": "
		}
		if len(values) > 0 {
			flat.WriteString(", ")
		}
		flat.WriteString(name + laidOut(m.Value, indent, oneLine))
		names, values = append(names, name), append(values, m.Value)
	}
	begin, end := string(rune(kind)), string(rune(kind+2)) // in ASCII
	if line := begin + flat.String() + end; before+len(line)+len(",") <= lineLength || len(values) == 0 {
		return line
	}
	next := "\n" + indent + "  "
	for i, v := range values {
		names[i] += laidOut(v, indent+"  ", len(next)-1+len(names[i]))
	}
	return begin + next + strings.Join(names, ","+next) + "\n" + indent + end
}
