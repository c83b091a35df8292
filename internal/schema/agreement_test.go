package schema_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestTheEnginesAgreeWhichDocumentsConform(t *testing.T) {
	t.Parallel()
	g := generator{rand.New(rand.NewPCG(7, 99))}
	t.Run("all keywords", func(t *testing.T) {
		agree(t, 3_000, func() any { return g.schemaWith(3, nil) }, func() any { return g.value(3) })
	})
	// qri is wrong for combinations of these keywords.
	t.Run("names", func(t *testing.T) {
		agree(t, 4_000, func() any { return g.named(3) }, func() any { return g.members(2) })
	})
}

func agree(t *testing.T, schemas int, newSchema, newDocument func() any) {
	is := is.New(t)
	routed, judged, conforming := 0, 0, 0
	for range schemas {
		raw, err := json.Marshal(newSchema())
		is.NoErr(err)
		s, err := schema.Compile(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if name, _ := s.Engine(); name != "qri-io/jsonschema" {
			continue
		}
		routed++
		for range 4 {
			doc, err := json.Marshal(newDocument())
			is.NoErr(err)
			taken, conforms, faults, err := s.Both(doc)
			is.NoErr(err)
			if !taken {
				continue
			}
			if conforms != (len(faults) == 0) {
				t.Fatalf("schema %s\ndocument %s\nconforms by qri: %t\nfaults by the exact engine: %v", raw, doc, conforms, faults)
			}
			judged++
			if conforms {
				conforming++
			}
		}
	}
	t.Logf("%d of %d schemas, %d documents, %d of them conform", routed, schemas, judged, conforming)
	is.True(routed > schemas/20)
	is.True(conforming > judged/10 && conforming < judged*9/10) // both results are tested
}

// named returns a schema that declares, allows and forbids properties, of two names.
func (g generator) named(depth int) any {
	if depth == 0 {
		return g.IntN(2) == 0
	}
	s := object{}
	for range 1 + g.IntN(3) {
		switch keyword := pick(g, []string{"properties", "additionalProperties", "additionalProperties", "allOf", "anyOf", "not", "items"}); keyword {
		case "properties":
			s[keyword] = object{pick(g, names[:2]): g.named(depth - 1)}
		case "allOf", "anyOf":
			s[keyword] = []any{g.named(depth - 1), g.named(depth - 1)}
		default:
			s[keyword] = g.named(depth - 1)
		}
	}
	return s
}

// members returns a document of objects with members of two names.
func (g generator) members(depth int) any {
	if depth == 0 {
		return g.IntN(2)
	}
	o := object{}
	for _, name := range names[:1+g.IntN(2)] {
		o[name] = g.members(depth - 1)
	}
	return o
}

// A generator generates schemas of the subset and documents, from so few names and
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
