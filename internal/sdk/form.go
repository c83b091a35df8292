package sdk

import (
	"fmt"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// A form is the schema of an elicitation: a flat object of plain fields (EL-02, EL-04).
type form struct {
	fields   []field
	required []string
}

type field struct {
	name   string
	kind   string   // string, number, integer, boolean or array
	values []string // what may be chosen, of itself or of its items; nil: anything
	schema object
}

// parseForm reads the requestedSchema of an elicitation.
func parseForm(schema jsontext.Value) (form, error) {
	var f form
	o, ok := parseObject(schema)
	if kind, _ := o.text("type"); !ok || kind != "object" {
		return f, fmt.Errorf(`the schema must be {"type":"object","properties":{...}}`)
	}
	properties, ok := parseObject(o.get("properties"))
	if !ok {
		return f, fmt.Errorf(`the schema has no "properties"`)
	}
	for _, m := range properties {
		field, err := parseField(m)
		if err != nil {
			return f, fmt.Errorf("property %q: %w", m.name, err)
		}
		f.fields = append(f.fields, field)
	}
	required, _ := parseArray(o.get("required"))
	for _, r := range required {
		name, _ := unquote(r)
		if properties.get(name) == nil {
			return f, fmt.Errorf("%s is required, but no property", r)
		}
		f.required = append(f.required, name)
	}
	return f, nil
}

func parseField(m member) (field, error) {
	f := field{name: m.name}
	o, _ := parseObject(m.value)
	f.schema = o
	f.kind, _ = o.text("type")
	switch f.kind {
	case "string":
		f.values = choices(o, "oneOf")
	case "number", "integer", "boolean":
	case "array":
		items, _ := parseObject(o.get("items"))
		if f.values = choices(items, "anyOf"); f.values == nil {
			return f, fmt.Errorf("an array must say with items.enum or items.anyOf what may be chosen")
		}
	default:
		return f, fmt.Errorf("its type must be string, number, integer, boolean, or array for a choice; forms cannot be nested")
	}
	return f, nil
}

// choices returns the values of an enum, or of the titled alternatives.
func choices(o object, titled string) []string {
	var values []string
	enum, _ := parseArray(o.get("enum"))
	for _, v := range enum {
		s, _ := unquote(v)
		values = append(values, s)
	}
	alternatives, _ := parseArray(o.get(titled))
	for _, v := range alternatives {
		a, _ := parseObject(v)
		s, _ := a.text("const")
		values = append(values, s)
	}
	return values
}

// check holds what the user filled in against the form (EL-07).
func (f form) check(content jsontext.Value) error {
	o, ok := parseObject(content)
	if !ok {
		return fmt.Errorf("the content is not an object")
	}
	for _, name := range f.required {
		if o.get(name) == nil {
			return fmt.Errorf("%s is missing", name)
		}
	}
	for _, field := range f.fields {
		if v := o.get(field.name); v != nil {
			if err := field.check(v); err != nil {
				return fmt.Errorf("%s: %w", field.name, err)
			}
		}
	}
	return nil
}

func (f field) check(v jsontext.Value) error {
	ok := false
	switch v.Kind() {
	case '"':
		ok = f.kind == "string"
	case 't', 'f':
		ok = f.kind == "boolean"
	case '0':
		ok = f.kind == "number" || f.kind == "integer" && isInteger(v)
	case '[':
		ok = f.kind == "array"
	}
	if !ok {
		return fmt.Errorf("%s is not of type %s", v, f.kind)
	}
	if err := f.bounds(v); err != nil {
		return err
	}
	chosen, isArray := parseArray(v)
	if !isArray {
		chosen = []jsontext.Value{v}
	}
	if f.values == nil {
		return nil
	}
	for _, c := range chosen {
		if s, isText := unquote(c); !isText || !slices.Contains(f.values, s) {
			return fmt.Errorf("%s is not one of %v", c, f.values)
		}
	}
	return nil
}

func isInteger(v jsontext.Value) bool {
	_, ok := integer(string(v))
	return ok
}
