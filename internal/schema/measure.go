package schema

import (
	"fmt"
	"maps"
	"slices"
)

// measure refuses schemas that refer to themselves for the same value, and those that expand beyond the bounds, also
// in unused definitions.
func measure(root *rule) error {
	m := &measuring{here: map[*rule]reach{}}
	m.reach(root)
	for _, at := range slices.Sorted(maps.Keys(root.home.in.rules)) {
		if m.err != nil {
			break
		}
		m.reach(root.home.in.rules[at])
	}
	return m.err
}

type measuring struct {
	here map[*rule]reach // zero while it is being computed
	err  error
}

// reach is the work that a schema causes for one value.
type reach struct {
	schemas int // evaluations of the same value; a schema counts each time
	levels  int // nested evaluations
}

// reach follows s as far as it applies to the same value.
func (m *measuring) reach(s *rule) reach {
	if r, known := m.here[s]; known {
		if r.schemas == 0 {
			m.fail(s, "refers to itself without descending into the value, which would never end")
		}
		return r
	}
	m.here[s] = reach{}
	r := reach{schemas: 1 + len(s.patterns), levels: 1}
	if s.contains != nil || s.unevaluatedItems != nil || s.unevaluatedProperties != nil {
		r.schemas++
	}
	for _, t := range s.sameValue() {
		next := m.reach(t)
		r.schemas = min(r.schemas+next.schemas, maxExpansion+1)
		r.levels = max(r.levels, next.levels+1)
	}
	switch {
	case r.schemas > maxExpansion:
		m.fail(s, fmt.Sprintf("expands to more than %d schemas for one value", maxExpansion))
	case r.levels > maxLevels:
		m.fail(s, fmt.Sprintf("applies more than %d nested schemas to one value", maxLevels))
	}
	m.here[s] = r
	return r
}

func (m *measuring) fail(s *rule, what string) {
	if m.err == nil {
		m.err = &Error{s.at, fmt.Errorf("the schema %s", what)}
	}
}
