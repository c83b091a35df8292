package schema

import "fmt"

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
	s := &Schema{exact: exact{root}, size: size}
	s.plain, s.reason = d.route(raw, size)
	return s, nil
}

// route returns qri's engine, or nil if only the exact engine is used, and the reason. It is
// the place to change in order to have only one engine.
func (d *draft) route(raw []byte, size extent) (plain *qri, reason string) {
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
}

// visit checks one schema of the document.
func (d *draft) visit(at string, schema map[string]any) error {
	if d.schemas++; d.schemas > maxSubschemas {
		return fmt.Errorf("the schema contains more than %d schemas", maxSubschemas)
	}
	if uri, ok := schema["$schema"].(string); ok {
		if err := checkDialect(uri); err != nil {
			return &placed{at + "/$schema", err}
		}
	}
	return nil
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
