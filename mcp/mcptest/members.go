package mcptest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Schemas of the protocol allow members that they do not define. So a value is searched for members
// that one revision has and another has not, or an old client could get members that its revision
// does not know (L-05, T-12).

// foreignMembers returns the members of value that r does not have at their place but another revision
// has.
func (all revisions) foreignMembers(r *revision, definition string, value any) []string {
	places := make([]place, len(all))
	own := -1
	for i, other := range all {
		places[i] = place{other, other.defs[definition]}
		if other == r {
			own = i
		}
	}
	return foreignMembers(places, own, value, "")
}

// A place is the part of a revision's schema for a value, nil for none.
type place struct {
	of     *revision
	schema any
}

// open are members whose content is not defined by the protocol.
var open = []string{"_meta", "inputSchema", "outputSchema", "structuredContent", "experimental", "data"}

// foreignMembers walks down a value and what all revisions say of it. at is the
// pointer to the value.
func foreignMembers(places []place, own int, value any, at string) (found []string) {
	switch value := value.(type) {
	case []any:
		below := each(places, own, func(p place) any { return p.object()["items"] })
		for i, item := range value {
			found = append(found, foreignMembers(below, own, item, fmt.Sprintf("%s/%d", at, i))...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			below := each(places, own, func(p place) any { return p.member(name, value) })
			there := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			switch {
			case at == "" && (name == "jsonrpc" || name == "id"): // of the envelope, which not all definitions repeat
			case slices.Contains(open, name) && below[own].schema != nil:
			case at == "" && name == "structuredContent": // structured content of a tool is passed on in all sessions
			case below[own].schema == nil:
				for _, p := range below {
					if p.schema != nil && !(name == "extensions" && at == "/capabilities") { // sessions have user interfaces too
						found = append(found, fmt.Sprintf("at '%s': a member of %s, not of %s",
							there, p.of.version, places[own].of.version))
						break
					}
				}
			default:
				found = append(found, foreignMembers(below, own, value[name], there)...)
			}
		}
	}
	return found
}

// each goes one step down in all revisions. A definition that has a name in the own revision is
// found by it in those that do not have the place.
func each(places []place, own int, to func(place) any) []place {
	name := ""
	if schema, ok := to(places[own]).(map[string]any); ok {
		name = reference(schema)
	}
	below := make([]place, len(places))
	for i, p := range places {
		below[i] = place{p.of, to(p)}
		if below[i].schema == nil && i != own {
			below[i].schema = p.of.defs[name]
		}
	}
	return below
}

// reference returns the name of the definition that a schema refers to, "" if there is none.
// none.
func reference(schema map[string]any) string {
	ref, _ := schema["$ref"].(string)
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// object follows references to a schema that is an object.
func (p place) object() map[string]any {
	schema, _ := p.schema.(map[string]any)
	for {
		name := reference(schema)
		if name == "" {
			return schema
		}
		schema, _ = p.of.defs[name].(map[string]any)
	}
}

// alternatives are the object schemas that a value here may have.
func (p place) alternatives() []map[string]any {
	schema := p.object()
	if schema == nil {
		return nil
	}
	choices, ok := schema["anyOf"].([]any)
	if !ok {
		return []map[string]any{schema}
	}
	var all []map[string]any
	for _, choice := range choices {
		all = append(all, place{p.of, choice}.alternatives()...)
	}
	return all
}

// member returns the schema of a member of value, nil for none.
func (p place) member(name string, value map[string]any) any {
	for _, schema := range p.alternatives() {
		properties, _ := schema["properties"].(map[string]any)
		kind, _ := properties["type"].(map[string]any)
		if is := kind["const"]; is != nil && is != value["type"] {
			continue // another kind of content
		}
		if found := properties[name]; found != nil {
			return found
		}
		if found, ok := schema["additionalProperties"].(map[string]any); ok && len(found) > 0 {
			return found
		}
	}
	return nil
}
