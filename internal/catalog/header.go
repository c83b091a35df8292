package catalog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// headerKeyword makes an argument a header for clients over HTTP, which refuse a tool whose headers
// are wrong. Over stdio it has no effect.
const headerKeyword = "x-mcp-header"

// fieldName matches the name of a header, a token of RFC 9110.
var fieldName = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// warnHeaders warns of headers in the schema m that clients refuse: with an invalid or duplicate
// name, with a value that is not an integer, a string or a boolean, or at a place that is not
// reached by properties alone (T-31).
func (o object) warnHeaders(m member) {
	if bytes.Contains(m.value, []byte(headerKeyword)) {
		o.warnHeadersIn(m, make(map[string]bool), false, true)
	}
}

// warnHeadersIn checks a schema and those within it. isProperty means that it describes a property,
// reached that only properties lead to it.
func (o object) warnHeadersIn(m member, seen map[string]bool, isProperty, reached bool) {
	if m.value.Kind() != '{' {
		return
	}
	s := o.inner(m)
	if i := slices.IndexFunc(s.members, func(m member) bool { return m.name == headerKeyword }); i >= 0 {
		header, name, why := s.members[i], "", ""
		if header.value.Kind() == '"' {
			name = json.Text(header.value)
		}
		kind, _ := s.get("type")
		switch lower := strings.ToLower(name); {
		case !fieldName.Get().MatchString(name):
			why = "must be the name of a header"
		case !isProperty || !reached:
			why = "must be on an argument, or on one inside of it"
		case !slices.Contains([]string{`"integer"`, `"string"`, `"boolean"`}, string(kind.value)):
			why = "must be on an integer, a string or a boolean"
		case seen[lower]:
			why = fmt.Sprintf("names the header %q a second time", name)
		default:
			seen[lower] = true
		}
		if why != "" {
			s.warn(header, why, "clients over HTTP refuse the tool")
		}
	}
	for keyword, part := range s.subschemas() {
		part.in.warnHeadersIn(part.member, seen, keyword == "properties", reached && keyword == "properties")
	}
}
