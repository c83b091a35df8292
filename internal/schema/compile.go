package schema

import (
	"fmt"
	"maps"
	"slices"
)

// compile is Compile with a loader of documents outside of the schema, which only
// tests have.
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
	r := &reading{resources: map[string]*resource{}, pattern: d.pattern, load: load}
	root, err := r.document(rootURL, d.doc, &dialects[0])
	if err != nil {
		return nil, err
	}
	if err := r.follow(); err != nil {
		return nil, err
	}
	size, err := measure(root)
	if err != nil {
		return nil, err
	}
	s := &Schema{exact: exact{root}, size: size, warnings: d.warnings}
	s.plain, s.reason = d.route(raw, size)
	return s, nil
}

// route returns qri's engine, or nil if only the exact engine is used, and the reason. It is
// the place to change in order to have only one engine.
func (d *draft) route(raw []byte, size extent) (plain *qri, reason string) {
	if len(d.warnings) > 0 {
		return nil, "an unsupported pattern"
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

// A draft is a schema that is being compiled.
type draft struct {
	doc      any
	schemas  int
	patterns map[string]*pattern
	warnings []error
}

// visit checks one schema of the document. It removes patterns that no engine
// supports.
func (d *draft) visit(at string, schema map[string]any) error {
	if d.schemas++; d.schemas > maxSubschemas {
		return fmt.Errorf("the schema contains more than %d schemas", maxSubschemas)
	}
	if uri, ok := schema["$schema"].(string); ok {
		if err := checkDialect(uri); err != nil {
			return &placed{at + "/$schema", err}
		}
	}
	d.visitPatterns(at, schema)
	return nil
}

func (d *draft) visitPatterns(at string, schema map[string]any) {
	if source, ok := schema["pattern"].(string); ok {
		if _, err := d.pattern(source); err != nil {
			d.warnings = append(d.warnings, &ignoredPattern{pointer: at + "/pattern", err: err})
			delete(schema, "pattern")
		}
	}
	named, _ := schema["patternProperties"].(map[string]any)
	// Without one of the patterns it is unknown which properties are the others.
	others := ""
	for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
		if schema[keyword] != nil {
			others = keyword
		}
	}
	for _, source := range slices.Sorted(maps.Keys(named)) {
		if _, err := d.pattern(source); err != nil {
			d.warnings = append(d.warnings, &ignoredPattern{at + "/patternProperties/" + escape(source), others, err})
			delete(named, source)
			delete(schema, "additionalProperties")
			delete(schema, "unevaluatedProperties")
		}
	}
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
