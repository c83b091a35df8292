package form

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Fault is a value that is not valid for a field.
type Fault struct {
	Value  json.Value
	Reason string // why it is not valid, as in: is below its minimum, 18
	Hint   string // what to do instead, as in: write 18 to 99
}

func (f *Fault) Error() string { return fmt.Sprintf("%s %s", f.Value, f.Reason) }

// Check checks the values of a filled-in form (EL-07). An error names the field.
func (f Form) Check(content json.Value) error {
	values, ok := object(content)
	if !ok {
		return errors.New("the content is not an object")
	}
	for _, field := range f.Fields {
		if field.Required && values[field.Name] == nil {
			return fmt.Errorf("%s is missing", field.Name)
		}
	}
	for _, field := range f.Fields {
		if v := values[field.Name]; v != nil {
			if fault := field.Check(v); fault != nil {
				return fmt.Errorf("%s: %w", field.Name, fault)
			}
		}
	}
	return nil
}

// Check checks a value; nil means that it is valid for the field.
func (f Field) Check(v json.Value) *Fault {
	if !f.takes(v) {
		return &Fault{v, "is not of type " + f.Type, f.typeHint()}
	}
	if fault := f.format(v); fault != nil {
		return fault
	}
	if fault := f.bounds(v); fault != nil {
		return fault
	}
	chosen := []json.Value{v}
	if v.Kind() == '[' {
		chosen = json.Elements(v)
	}
	for _, c := range chosen {
		if f.Choices != nil && (c.Kind() != '"' || !slices.Contains(f.values(), json.Text(c))) {
			return &Fault{c, fmt.Sprintf("is not one of %v", f.values()), "choose one of them"}
		}
	}
	return nil
}

func (f Field) values() (all []string) {
	for _, c := range f.Choices {
		all = append(all, c.Value)
	}
	return all
}

// takes reports whether a value has the type of the field.
func (f Field) takes(v json.Value) bool {
	switch v.Kind() {
	case '"':
		return f.Type == "string"
	case 't', 'f':
		return f.Type == "boolean"
	case '0':
		n, err := strconv.ParseFloat(string(v), 64)
		return f.Type == "number" || f.Type == "integer" && err == nil && n == math.Trunc(n)
	case '[':
		return f.Type == "array"
	}
	return false
}

func (f Field) typeHint() string {
	switch f.Type {
	case "integer":
		return "write a whole number"
	case "number":
		return "write a number"
	case "boolean":
		return "write true or false"
	case "array":
		return "write a list"
	}
	return "write text"
}

// bounds checks a value of the field's type against its limits.
func (f Field) bounds(v json.Value) *Fault {
	size, low, high, verb := 0.0, "minimum", "maximum", "write "
	switch v.Kind() {
	case '"':
		size, low, high = float64(utf8.RuneCountInString(json.Text(v))), "minLength", "maxLength"
	case '0':
		size, _ = strconv.ParseFloat(string(v), 64)
	case '[':
		size, low, high, verb = float64(len(json.Elements(v))), "minItems", "maxItems", "choose "
	default:
		return nil
	}
	switch {
	case f.Least != nil && size < *f.Least:
		return &Fault{v, fmt.Sprintf("is below its %s, %v", low, *f.Least), verb + f.Range()}
	case f.Most != nil && size > *f.Most:
		return &Fault{v, fmt.Sprintf("is above its %s, %v", high, *f.Most), verb + f.Range()}
	}
	return nil
}
