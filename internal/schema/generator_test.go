package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
)

// A generator generates schemas of usual keywords and documents, from so few names and
// values that they often match.
type generator struct{ *rand.Rand }

type object = map[string]any

var (
	definitions = []string{"one", "two", "three"}
	names       = []string{"a", "b", "a/b", "~", "", "ü"}
	typeNames   = []string{"null", "boolean", "string", "number", "integer", "array", "object"}
	patterns    = []string{"^a", "b$", "^[a-z]*$", "ü", `\d`}
)

func (g generator) schema(depth int) object { return g.schemaWith(depth, definitions) }

func (g generator) schemaWith(depth int, definitions []string) object {
	s := object{}
	sub := func() any {
		if g.IntN(12) == 0 {
			return true
		}
		return g.schemaWith(depth-1, definitions)
	}
	list := func() []any {
		l := make([]any, 1+g.IntN(3))
		for i := range l {
			l[i] = sub()
		}
		return l
	}
	keywords := map[string]func() any{
		"type":             func() any { return g.types() },
		"enum":             func() any { return []any{g.value(1), g.value(1), g.value(1), g.value(0), nil} },
		"const":            func() any { return g.value(1) },
		"required":         func() any { return g.some(names) },
		"minimum":          func() any { return g.number() },
		"maximum":          func() any { return g.number() },
		"exclusiveMinimum": func() any { return g.number() },
		"exclusiveMaximum": func() any { return g.number() },
		"pattern":          func() any { return pick(g, patterns) },
		"format":           func() any { return "email" },
		"title":            func() any { return "t" },
		"description":      func() any { return "d" },
		"$comment":         func() any { return "c" },
		"default":          func() any { return g.value(1) },
		"examples":         func() any { return []any{g.value(1)} },
		"deprecated":       func() any { return true },
		"readOnly":         func() any { return g.IntN(2) == 0 },
		"writeOnly":        func() any { return false },
	}
	for _, size := range []string{"Length", "Items", "Properties"} {
		keywords["min"+size] = func() any { return g.IntN(3) }
		keywords["max"+size] = func() any { return g.IntN(4) }
	}
	if len(definitions) > 0 {
		keywords["$ref"] = func() any { return "#/$defs/" + pick(g, definitions) }
	}
	if depth > 0 {
		keywords["properties"] = func() any {
			properties := object{}
			for _, name := range g.some(names) {
				properties[name] = sub()
			}
			return properties
		}
		keywords["additionalProperties"] = func() any {
			if g.IntN(2) == 0 {
				return false
			}
			return sub()
		}
		keywords["items"] = func() any { return g.schemaWith(depth-1, definitions) }
		keywords["not"] = func() any { return g.schemaWith(depth-1, definitions) }
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			keywords[keyword] = func() any { return list() }
		}
	}
	all := make([]string, 0, len(keywords))
	for keyword := range keywords {
		all = append(all, keyword)
	}
	// Maps have no order, but the same seed must give the same schema.
	slices.Sort(all)
	for range 1 + g.IntN(3) {
		keyword := pick(g, all)
		s[keyword] = keywords[keyword]()
	}
	return s
}

func (g generator) types() any {
	if g.IntN(2) == 0 {
		return pick(g, typeNames)
	}
	return g.some(typeNames)
}

func (g generator) number() any {
	return json.Number([]string{"-1", "0", "-0", "1", "1.0", "1.5", "2", "0.1", "3.00", "123456789012345"}[g.IntN(10)])
}

func (g generator) value(depth int) any {
	kind := g.IntN(8)
	if depth == 0 {
		kind = g.IntN(5)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2:
		return g.number()
	case 3, 4:
		return []string{"", "a", "ab", "b", "üü", "1", "true", "aaaa" + strings.Repeat("long ", 30)}[g.IntN(8)]
	case 5:
		items := make([]any, g.IntN(4))
		for i := range items {
			items[i] = g.value(depth - 1)
		}
		return items
	}
	members := object{}
	for _, name := range g.some(names) {
		members[name] = g.value(depth - 1)
	}
	return members
}

// some picks one or more of the strings, each at most once.
func (g generator) some(from []string) []string {
	order := g.Perm(len(from))
	var picked []string
	for _, i := range order[:1+g.IntN(len(from)-1)] {
		picked = append(picked, from[i])
	}
	return picked
}

func pick(g generator, from []string) string { return from[g.IntN(len(from))] }
