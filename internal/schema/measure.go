package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// extent is how much work a schema can cause. Both are counts of schemas, with
// references followed, and end at maxExpansion+1, which stands for "too many".
type extent struct {
	perValue int // the most that one value can meet; too many when it depends on $dynamicRef
	total    int // all of them; too many when the schema refers to itself
}

func (e extent) bounded() bool { return e.total <= maxExpansion }

// measure finds out the extent of the first of the schemas. It refuses schemas
// that refer to themselves before they look into the value, and those that
// expand beyond the bounds.
func measure(schemas []*jsonschema.Schema) (extent, error) {
	m := &measuring{here: map[*jsonschema.Schema]reach{}, total: map[*jsonschema.Schema]int{}}
	for _, s := range schemas {
		if m.all(s); m.err != nil {
			return extent{}, m.err
		}
	}
	return extent{perValue: m.widest, total: m.all(schemas[0])}, nil
}

type measuring struct {
	here   map[*jsonschema.Schema]reach // zero while it is being found out
	total  map[*jsonschema.Schema]int   // 0 while it is being counted
	widest int
	err    error
}

// reach is what one value meets when it meets a schema.
type reach struct {
	schemas int // each as often as it may look at one and the same part of the value
	levels  int // how many of them one behind the other
}

// all counts the schemas that s leads to, in all ways.
func (m *measuring) all(s *jsonschema.Schema) int {
	if n, known := m.total[s]; known {
		if n == 0 {
			return maxExpansion + 1
		}
		return n
	}
	m.total[s] = 0
	m.widest = max(m.widest, m.reach(s).schemas)
	n := 1
	for _, t := range append(sameValue(s), partsOf(s)...) {
		n = min(n+m.all(t), maxExpansion+1)
	}
	m.total[s] = n
	return n
}

// reach follows s for as long as it judges the same value.
func (m *measuring) reach(s *jsonschema.Schema) reach {
	if r, known := m.here[s]; known {
		if r.schemas == 0 {
			m.fail(s, "refers to itself without looking into the value, which would never end")
		}
		return r
	}
	m.here[s] = reach{}
	if s.DynamicRef != nil || s.RecursiveRef != nil {
		m.widest = maxExpansion + 1
	}
	r := reach{schemas: 1 + len(s.PatternProperties), levels: 1}
	if s.Contains != nil || s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil {
		r.schemas++
	}
	for _, t := range sameValue(s) {
		next := m.reach(t)
		r.schemas = min(r.schemas+next.schemas, maxExpansion+1)
		r.levels = max(r.levels, next.levels+1)
	}
	switch {
	case r.schemas > maxExpansion:
		m.fail(s, fmt.Sprintf("expands to more than %d schemas for one value", maxExpansion))
	case r.levels > maxLevels:
		m.fail(s, fmt.Sprintf("leads one value through more than %d schemas, one behind the other", maxLevels))
	}
	m.here[s] = r
	return r
}

func (m *measuring) fail(s *jsonschema.Schema, what string) {
	if m.err == nil {
		_, fragment, _ := strings.Cut(s.Location, "#")
		m.err = &placed{unescapeFragment(fragment), fmt.Errorf("the schema %s", what)}
	}
}

// sameValue lists the schemas that judge the very value that s judges.
// $dynamicRef and $recursiveRef are not among them, since where they lead
// depends on the way; the library ends their loops.
func sameValue(s *jsonschema.Schema) []*jsonschema.Schema {
	list := present(s.Ref, s.Not, s.If, s.Then, s.Else)
	list = slices.Concat(list, s.AllOf, s.AnyOf, s.OneOf, ordered(s.DependentSchemas))
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		if dependent, ok := s.Dependencies[name].(*jsonschema.Schema); ok {
			list = append(list, dependent)
		}
	}
	return list
}

// partsOf lists the schemas that judge members and items of the value, and the
// first targets of $dynamicRef and $recursiveRef.
func partsOf(s *jsonschema.Schema) []*jsonschema.Schema {
	list := present(s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.RecursiveRef)
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	list = slices.Concat(list, ordered(s.Properties), orderedPatterns(s.PatternProperties), s.PrefixItems)
	for _, held := range [...]any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch held := held.(type) {
		case *jsonschema.Schema:
			list = append(list, held)
		case []*jsonschema.Schema:
			list = append(list, held...)
		}
	}
	return list
}

func present(schemas ...*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(schemas, func(s *jsonschema.Schema) bool { return s == nil })
}

// ordered lists schemas by their names, so that the same schema always gets the
// same error.
func ordered(named map[string]*jsonschema.Schema) []*jsonschema.Schema {
	list := make([]*jsonschema.Schema, 0, len(named))
	for _, name := range slices.Sorted(maps.Keys(named)) {
		list = append(list, named[name])
	}
	return list
}

func orderedPatterns(patterns map[jsonschema.Regexp]*jsonschema.Schema) []*jsonschema.Schema {
	named := make(map[string]*jsonschema.Schema, len(patterns))
	for pattern, s := range patterns {
		named[pattern.String()] = s
	}
	return ordered(named)
}
