package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// steps bounds how long a document is judged: an engine cannot be interrupted, so
// what it is going to do is counted before. A step is the evaluation of a schema, a
// comparison with one value of an enum, a match of a short text or an item that is
// held against the others.
//
// Schemas that refer to themselves have a budget besides, which comes first.
type steps struct {
	root    *jsonschema.Schema
	perByte int // the most steps that a byte of a document can cause
}

// newSteps reads a schema that has been measured.
func newSteps(root *jsonschema.Schema, size extent) steps {
	return steps{root, size.total * heaviest(root, map[*jsonschema.Schema]bool{})}
}

// heaviest returns the most steps that one schema below s takes for one value, the
// schemas in it not counted.
func heaviest(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) int {
	if seen[s] {
		return 0
	}
	seen[s] = true
	n := 2 + ownSteps(s) + len(s.PatternProperties)
	if s.UniqueItems {
		n += stepsToCompare
	}
	for _, t := range append(sameValue(s), partsOf(s)...) {
		n = max(n, heaviest(t, seen))
	}
	return n
}

// ownSteps returns the steps that s takes for any value, whatever it is.
func ownSteps(s *jsonschema.Schema) int {
	if s.Enum != nil {
		return 1 + len(s.Enum.Values)
	}
	return 1
}

// check refuses a document that would take too many steps, and returns how many it
// may take.
func (s steps) check(doc parsed, bytes int) (int, error) {
	if most := s.perByte * bytes; most <= maxPlainSteps {
		return most, nil
	}
	c := counting{limit: min(fewSteps+maxStepsPerValue*doc.values, maxSteps), same: map[*jsonschema.Schema][]*jsonschema.Schema{}}
	if c.judge(s.root, doc.value); c.n > c.limit {
		return 0, fmt.Errorf("too much work: to judge %d values by this schema takes more than %d steps; pass fewer of them, or make the schema simpler", doc.values, c.limit)
	}
	return c.n, nil
}

// A counting counts steps until there are too many.
type counting struct {
	n, limit int
	same     map[*jsonschema.Schema][]*jsonschema.Schema // as sameValue returns them
	refs     int                                         // dynamic ones that are being followed
}

// judge counts the steps of judging v by s.
func (c *counting) judge(s *jsonschema.Schema, v any) {
	if s == nil || c.n > c.limit {
		return
	}
	c.n += ownSteps(s)
	same, known := c.same[s]
	if !known {
		same = sameValue(s)
		c.same[s] = same
	}
	for _, t := range same {
		c.judge(t, v)
	}
	if dynamic := s.RecursiveRef; dynamic != nil || s.DynamicRef != nil {
		if dynamic == nil {
			dynamic = s.DynamicRef.Ref
		}
		if c.refs < maxLevels { // the engine ends its loops
			c.refs++
			c.judge(dynamic, v)
			c.refs--
		}
	}
	switch v := v.(type) {
	case string:
		if s.Pattern != nil {
			c.match(v)
		}
	case map[string]any:
		c.members(s, v)
	case []any:
		if s.UniqueItems {
			c.compare(v)
		}
		for i, item := range v {
			if c.n > c.limit {
				return
			}
			c.judge(itemSchema(s, i), item)
			c.judge(s.Contains, item)
			c.judge(s.UnevaluatedItems, item)
		}
	}
}

func (c *counting) members(s *jsonschema.Schema, object map[string]any) {
	for name, member := range object {
		if c.n > c.limit {
			return
		}
		if t, ok := s.Properties[name]; ok {
			c.judge(t, member)
		} else if t, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			c.judge(t, member)
		}
		for names, t := range s.PatternProperties {
			c.match(name)
			if p, ours := names.(*pattern); c.n <= c.limit && (ours && p.backtracks || names.MatchString(name)) {
				c.judge(t, member)
			}
		}
		c.judge(s.PropertyNames, name)
		c.judge(s.UnevaluatedProperties, member)
	}
}

// textPerStep is how many bytes a regular expression reads in a step.
const textPerStep = 16

func (c *counting) match(text string) { c.n += 1 + len(text)/textPerStep }

// stepsToCompare is what it takes to hold one value against all others.
const stepsToCompare = 4

// compare counts the values in v, which are all held against others.
func (c *counting) compare(v any) {
	if c.n += stepsToCompare; c.n > c.limit {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.compare(item)
		}
	case map[string]any:
		for _, member := range v {
			c.compare(member)
		}
	}
}
