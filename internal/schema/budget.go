package schema

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A budget bounds the work of documents whose schema does not bound it, because
// it refers to itself: two alternatives that both look into the same member
// double the work with every level of the document.
type budget struct {
	root     *jsonschema.Schema
	perValue int
}

// newBudget returns nil when no document needs it.
func newBudget(root *jsonschema.Schema, size extent) *budget {
	if size.bounded() {
		return nil
	}
	return &budget{root, size.perValue}
}

// check refuses a document that would take too much work. It counts what the
// engine is going to evaluate, but each pair of schema and value only once.
func (b *budget) check(doc any) error {
	if b == nil {
		return nil
	}
	var t tree
	root := t.add(doc, 0)
	if t.harmless(b.perValue) {
		return nil
	}
	w := work{limit: min(maxWork+maxWorkPerValue*t.values, maxSteps), counts: map[judgement]int{}}
	if w.count(b.root, root) > w.limit {
		return errors.New("too much work: the schema tries several alternatives at every level, and the document has too many levels")
	}
	return nil
}

// A node is an array or object of a document, or the one node for all other values.
type node struct {
	members map[string]*node
	items   []*node
}

var scalar = &node{}

// A tree counts the values of a document and its levels.
type tree struct{ values, depth int }

func (t *tree) add(v any, depth int) *node {
	t.values++
	t.depth = max(t.depth, depth)
	switch v := v.(type) {
	case map[string]any:
		n := &node{members: make(map[string]*node, len(v))}
		for name, member := range v {
			n.members[name] = t.add(member, depth+1)
		}
		return n
	case []any:
		n := &node{items: make([]*node, len(v))}
		for i, item := range v {
			n.items[i] = t.add(item, depth+1)
		}
		return n
	}
	return scalar
}

// harmless reports whether the work stays small even if it grows as fast as it can.
func (t *tree) harmless(perValue int) bool {
	work := t.values
	for range t.depth + 1 {
		if work > maxWork/perValue {
			return false
		}
		work *= perValue
	}
	return true
}

type judgement struct {
	schema *jsonschema.Schema
	value  *node
}

type work struct {
	limit  int
	counts map[judgement]int // 0 while it is being counted
}

// count returns how many evaluations it takes to judge v, limit+1 for too many.
func (w *work) count(s *jsonschema.Schema, v *node) int {
	key := judgement{s, v}
	if n, known := w.counts[key]; known {
		return n
	}
	if len(w.counts) > w.limit {
		return w.limit + 1
	}
	w.counts[key] = 0
	n := 1
	add := func(t *jsonschema.Schema, v *node) {
		if t != nil && n <= w.limit {
			n = min(n+w.count(t, v), w.limit+1)
		}
	}
	for _, t := range sameValue(s) {
		add(t, v)
	}
	add(s.RecursiveRef, v)
	if s.DynamicRef != nil {
		add(s.DynamicRef.Ref, v)
	}
	for name, member := range v.members {
		if t, ok := s.Properties[name]; ok {
			add(t, member)
		} else if t, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			add(t, member)
		}
		for _, t := range s.PatternProperties {
			add(t, member)
		}
		add(s.UnevaluatedProperties, member)
	}
	for i, item := range v.items {
		add(itemSchema(s, i), item)
		add(s.Contains, item)
		add(s.UnevaluatedItems, item)
	}
	w.counts[key] = n
	return n
}

// itemSchema returns the schema for item i, under the keywords of any dialect.
func itemSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
		additional, _ := s.AdditionalItems.(*jsonschema.Schema)
		return additional
	}
	return s.Items2020
}
