package catalog

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// limits reads the limits of a tool. The zero value sets none.
func (o object) limits() (l process.Limits) {
	within := o.object("limits")
	if len(within.members) == 0 {
		return l
	}
	all := process.LimitNames
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = n.Name
	}
	for _, m := range within.members {
		i := slices.Index(names, m.Name)
		if i < 0 { // any spelling: the author relies on it
			within.refuse(m, "is not a limit", "the limits are "+strings.Join(names, ", "))
			continue
		}
		if _, there := within.get(m.Name); !there {
			continue
		}
		v, err := limit(all[i], m)
		if err != nil {
			hint := ""
			if all[i].Bytes {
				hint = `write bytes, or a size as in "512M"`
			}
			within.refuse(m, err.Error(), hint)
			continue
		}
		*all[i].Of(&l) = v
	}
	return l
}

// limit reads one limit: a whole number, for sizes also a string.
func limit(n process.LimitName, m json.Member) (int64, error) {
	switch {
	case m.Value.Kind() == '"' && n.Bytes:
		return n.Parse(json.Text(m.Value))
	case m.Value.Kind() != '0':
		return 0, errors.New("must be a number, not " + kindName(kindOf(m.Value)))
	}
	f, err := strconv.ParseFloat(string(m.Value), 64)
	if err != nil || f != float64(int64(f)) {
		return 0, errors.New("must be a whole number")
	}
	return int64(f), n.Check(int64(f))
}

// limitsSchema is the schema of limits.
func limitsSchema() string {
	var w objectWriter
	for _, n := range process.LimitNames {
		schema := `{"type":"integer"}`
		if n.Bytes {
			schema = `{"type":["integer","string"]}`
		}
		w.add(n.Name, json.Value(schema))
	}
	return `"type":"object","additionalProperties":false,"properties":` + string(w.object())
}
