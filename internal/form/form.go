// Package form parses the forms of elicitations, flat objects of primitive fields (EL-02, EL-04), and
// checks the values that were filled in.
package form

import (
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Form is the requestedSchema of an elicitation.
type Form struct {
	Fields []Field // in the order in which people are asked
}

// A Field is a property of a form.
type Field struct {
	Name, Title, Description string

	Type     string     // string, number, integer, boolean or array
	Choices  []Choice   // for the value, or for the items of an array; nil: anything
	Default  json.Value // nil for none
	Required bool
	Limits
}

// A Choice is a value and the title that people read.
type Choice struct{ Value, Title string }

// ErrSchema is returned for a schema that is not the schema of an object.
var ErrSchema = errors.New(`the schema must be {"type":"object","properties":{...}}`)

// Parse parses a form. The type may be absent, and unknown members are ignored.
func Parse(schema json.Value) (Form, error) {
	o, ok := object(schema)
	if kind := o["type"]; !ok || kind != nil && json.Text(kind) != "object" {
		return Form{}, ErrSchema
	}
	if o["properties"].Kind() != '{' {
		return Form{}, errors.New(`the schema has no "properties"`)
	}
	var f Form
	for m := range json.Members(o["properties"], '{', json.Lenient) { // valid JSON, as all here
		field := Field{Name: m.Name}
		if err := field.read(m.Value); err != nil {
			return Form{}, fmt.Errorf("property %q: %w", field.Name, err)
		}
		if at := f.index(field.Name); at >= 0 { // a duplicate: the last one counts
			f.Fields[at] = field
			continue
		}
		f.Fields = append(f.Fields, field)
	}
	for _, name := range json.Elements(o["required"]) {
		at := f.index(json.Text(name))
		if at < 0 {
			return Form{}, fmt.Errorf("%s is required but not a property", name)
		}
		f.Fields[at].Required = true
	}
	return f, nil
}

func (f Form) index(name string) int {
	return slices.IndexFunc(f.Fields, func(f Field) bool { return f.Name == name })
}

func (f *Field) read(schema json.Value) error {
	o, _ := object(schema)
	f.Type, f.Title, f.Description = o.text("type"), o.text("title"), o.text("description")
	if v := o["default"]; v.Kind() != 'n' {
		f.Default = v
	}
	switch f.Type {
	case "string":
		f.Choices = choices(o)
	case "number", "integer", "boolean":
	case "array":
		items, _ := object(o["items"])
		if f.Choices = choices(items); f.Choices == nil {
			return errors.New("an array must list its choices in items.enum or items.anyOf")
		}
	default:
		return errors.New("its type must be string, number, integer, boolean, or array for a choice; forms cannot be nested")
	}
	f.Limits = limits(f.Type, o)
	return nil
}

// choices returns an enum, with its enumNames if there are any, and the titled alternatives (EL-05):
// oneOf for one value, anyOf for the items of an array.
func choices(o members) (all []Choice) {
	titles := json.Elements(o["enumNames"])
	for i, v := range json.Elements(o["enum"]) {
		c := Choice{json.Text(v), json.Text(v)}
		if i < len(titles) {
			c.Title = json.Text(titles[i])
		}
		all = append(all, c)
	}
	for _, v := range append(json.Elements(o["oneOf"]), json.Elements(o["anyOf"])...) {
		alternative, _ := object(v)
		all = append(all, Choice{alternative.text("const"), alternative.text("title")})
	}
	return all
}

type members map[string]json.Value

// object returns the members of an object, and reports whether v is one.
func object(v json.Value) (members, bool) {
	var o members
	return o, v.Kind() == '{' && json.Unmarshal(v, &o, json.Lenient) == nil
}

func (o members) text(name string) string { return json.Text(o[name]) }
