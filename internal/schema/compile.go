package schema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compile is Compile with a source of documents outside of the schema, which
// only tests have.
func compile(raw []byte, load loader) (*Schema, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes, more than %d", len(raw), maxSchemaBytes)
	}
	parsed, err := parse(raw, maxSchemaDepth)
	if err != nil {
		return nil, err
	}
	d := draft{doc: parsed.value, patterns: map[string]*pattern{}}
	if err := walk(d.doc, "", d.visit); err != nil {
		return nil, err
	}
	if load == nil {
		load = deny
	}
	roots, err := d.compile(load)
	if err != nil {
		return nil, err
	}
	size, err := measure(roots)
	if err != nil {
		return nil, err
	}
	adapt(roots)

	s := &Schema{
		exact:    santhosh{root: roots[0], doc: d.doc},
		budget:   newBudget(roots[0], size),
		steps:    newSteps(roots[0], size),
		warnings: d.warnings,
	}
	s.plain, s.reason = d.route(raw, size)
	return s, nil
}

// route chooses between the engines: it returns qri's, or nil for the exact one,
// and why. It is the place to change in order to have one engine only.
func (d *draft) route(raw []byte, size extent) (plain engine, reason string) {
	if len(d.warnings) > 0 {
		return nil, "a pattern that no engine takes"
	}
	if reason := beyondSubset(d.doc, size); reason != "" {
		return nil, reason
	}
	plain, err := compileQri(raw)
	if err != nil {
		return nil, err.Error()
	}
	return plain, "every keyword is in the subset that it gets right"
}

// A draft is a schema on its way to being compiled.
type draft struct {
	doc         any
	schemas     int
	patterns    map[string]*pattern
	references  []reference
	definitions []string // pointers to all that stands under $defs and definitions
	warnings    []string
}

// visit looks at one schema of the document. Patterns that no engine takes are
// removed from it.
func (d *draft) visit(at string, schema map[string]any) error {
	if d.schemas++; d.schemas > maxSubschemas {
		return fmt.Errorf("the schema holds more than %d schemas", maxSubschemas)
	}
	if uri, ok := schema["$schema"].(string); ok {
		if err := checkDialect(uri); err != nil {
			return &placed{at + "/$schema", err}
		}
	}
	for _, keyword := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if text, ok := schema[keyword].(string); ok {
			d.references = append(d.references, reference{at + "/" + keyword, text})
		}
	}
	for _, keyword := range [...]string{"$defs", "definitions"} {
		named, _ := schema[keyword].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(named)) {
			d.definitions = append(d.definitions, at+"/"+keyword+"/"+escape(name))
		}
	}
	d.visitPatterns(at, schema)
	return nil
}

func (d *draft) visitPatterns(at string, schema map[string]any) {
	if source, ok := schema["pattern"].(string); ok {
		if _, err := d.pattern(source); err != nil {
			d.warn(at+"/pattern", source)
			delete(schema, "pattern")
		}
	}
	named, _ := schema["patternProperties"].(map[string]any)
	for _, source := range slices.Sorted(maps.Keys(named)) {
		if _, err := d.pattern(source); err != nil {
			d.warn(at+"/patternProperties", source)
			delete(named, source)
			// It cannot be told any more which properties are additional.
			delete(schema, "additionalProperties")
		}
	}
}

func (d *draft) warn(at, source string) {
	d.warnings = append(d.warnings, fmt.Sprintf("at %s: no engine takes the pattern %s, it is not checked", at, clip(source)))
}

// pattern compiles a pattern once.
func (d *draft) pattern(source string) (*pattern, error) {
	if p, ok := d.patterns[source]; ok {
		return p, nil
	}
	p, err := compilePattern(source)
	if err == nil {
		d.patterns[source] = p
	}
	return p, err
}

// compile returns the schema and, after it, its definitions. Those are compiled
// even if nothing refers to them, so that their faults come to light.
func (d *draft) compile(load loader) (roots []*jsonschema.Schema, err error) {
	defer rescue(santhoshName, &err)
	c := library(load, func(source string) (jsonschema.Regexp, error) { return d.pattern(source) })
	if err := c.AddResource(rootURL, d.doc); err != nil {
		return nil, d.explain(err)
	}
	for _, at := range append([]string{""}, d.definitions...) {
		root, err := c.Compile(rootURL + "#" + escapeFragment(at))
		if err != nil {
			return nil, d.explain(err)
		}
		roots = append(roots, root)
	}
	return roots, nil
}
