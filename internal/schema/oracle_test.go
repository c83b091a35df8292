package schema_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// Compares the engine with another implementation of all dialects, for generated schemas
// and documents.
func TestTheEngineAgreesWithAnotherImplementation(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	const schemas, documents = 1_000, 6
	random := generator{rand.New(rand.NewPCG(3, 14))}
	g := wide{generator: random}
	compiled, conforming, judged := 0, 0, 0
	for i := range schemas {
		g.dialect = []string{
			"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
			"http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-04/schema",
		}[i%5]
		raw, err := json.Marshal(g.root())
		is.NoErr(err)
		s, err := schema.Compile(raw)
		oracle, oracleErr := oracleFor(raw)
		if oracleErr != nil && err == nil {
			t.Fatalf("%s: compiles, and the other one says: %v", raw, oracleErr)
		}
		if err != nil {
			continue // some refer to themselves
		}
		compiled++
		for range documents {
			doc, err := json.Marshal(g.value(3))
			is.NoErr(err)
			faults, err := s.Validate(t.Context(), doc)
			is.NoErr(err)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
			is.NoErr(err)
			want := oracle.Validate(value)
			if (want == nil) != (len(faults) == 0) {
				t.Fatalf("schema %s\ndocument %s\ngot %v\nwant %v", raw, doc, faults, want)
			}
			judged++
			if want == nil {
				conforming++
			}
		}
	}
	t.Logf("%d schemas, %d documents, %d of them conform", compiled, judged, conforming)
	is.True(compiled > schemas/2)
	is.True(conforming > judged/10 && conforming < judged*9/10) // both results are tested
}

func oracleFor(raw []byte) (*jsonschema.Schema, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///schema", value); err != nil {
		return nil, err
	}
	return c.Compile("mem:///schema")
}

// wide generates schemas of every keyword, of any dialect. Keywords that a dialect does not
// have must be ignored.
type wide struct {
	generator
	dialect string
}

func (g wide) root() object {
	defs := object{}
	for i, name := range definitions {
		defs[name] = g.schema(1, definitions[i+1:])
	}
	s := g.schema(3, definitions)
	s["$schema"] = g.dialect
	s["$defs"], s["definitions"] = defs, defs
	return s
}

func (g wide) schema(depth int, definitions []string) object {
	s := g.schemaWith(0, definitions)
	delete(s, "$ref")
	delete(s, "format")
	if g.dialect == "http://json-schema.org/draft-04/schema" {
		delete(s, "exclusiveMinimum")
		delete(s, "exclusiveMaximum")
		if g.IntN(4) == 0 {
			s["maximum"], s["exclusiveMaximum"] = g.number(), true
		}
	}
	if depth == 0 {
		return s
	}
	sub := func() any {
		if g.IntN(8) == 0 && g.dialect != "http://json-schema.org/draft-04/schema" {
			return g.IntN(2) == 0
		}
		return g.schema(depth-1, definitions)
	}
	list := func() any {
		l := []any{}
		for range 1 + g.IntN(3) {
			l = append(l, sub())
		}
		return l
	}
	named := func(names []string) any {
		held := object{}
		for _, name := range names {
			held[name] = sub()
		}
		return held
	}
	old := g.dialect != "https://json-schema.org/draft/2020-12/schema"
	for range 1 + g.IntN(3) {
		switch keyword := pick(g.generator, []string{
			"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "items", "prefixItems", "additionalItems", "contains",
			"minContains", "maxContains", "uniqueItems", "unevaluatedItems", "properties", "patternProperties", "additionalProperties",
			"propertyNames", "dependencies", "dependentSchemas", "dependentRequired", "unevaluatedProperties", "multipleOf", "$ref", "$recursiveRef", "$dynamicRef",
		}); keyword {
		case "allOf", "anyOf", "oneOf", "prefixItems":
			s[keyword] = list()
		case "items":
			if s[keyword] = sub(); old && g.IntN(2) == 0 {
				s[keyword] = list()
			}
			if _, single := s[keyword].(bool); single && g.dialect == "http://json-schema.org/draft-04/schema" {
				delete(s, keyword)
			}
		case "not", "if", "then", "else", "additionalItems", "contains", "unevaluatedItems", "additionalProperties", "propertyNames", "unevaluatedProperties":
			s[keyword] = sub()
		case "minContains", "maxContains":
			s["contains"], s[keyword] = sub(), g.IntN(3)
		case "uniqueItems":
			s[keyword] = true
		case "properties", "dependentSchemas":
			s[keyword] = named(g.some(names))
		case "patternProperties":
			s[keyword] = named(g.some(patterns))
		case "dependencies":
			held := named(g.some(names)).(object)
			held["b"] = g.some(names)
			s[keyword] = held
		case "dependentRequired":
			s[keyword] = object{"a": g.some(names)}
		case "multipleOf":
			s[keyword] = json.Number([]string{"2", "0.5", "0.1", "3"}[g.IntN(4)])
		case "$ref":
			if len(definitions) == 0 {
				break
			}
			s[keyword] = "#/definitions/" + pick(g.generator, definitions)
			if strings.Contains(g.dialect, "/draft-") { // the other implementation evaluates some of the keywords beside it
				return object{keyword: s[keyword]}
			}
		case "$recursiveRef":
			s["properties"] = object{"a": object{keyword: "#"}}
		case "$dynamicRef":
			s["properties"] = object{"b": object{keyword: "#"}}
		}
	}
	return s
}
