package interview

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// A field is one of a form.
type field struct {
	name, label string
	kind        string   // string, number, integer, boolean or array
	choices     []choice // nil: anything
	fallback    jsontext.Value
	required    bool
	limits
}

// A choice is a value and what people read in its place.
type choice struct{ value, title string }

// A schema is that of a field.
type schema struct {
	Type        string         `json:"type"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Default     jsontext.Value `json:"default"`
	alternatives
	limits
	Items alternatives `json:"items"`
}

// Alternatives say what may be chosen, in one of three ways (EL-05).
type alternatives struct {
	Enum      []string `json:"enum"`
	EnumNames []string `json:"enumNames"`
	OneOf     []titled `json:"oneOf"`
	AnyOf     []titled `json:"anyOf"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

func (a alternatives) choices() (all []choice) {
	for i, value := range a.Enum {
		title := value
		if i < len(a.EnumNames) {
			title = a.EnumNames[i]
		}
		all = append(all, choice{value, title})
	}
	for _, t := range append(a.OneOf, a.AnyOf...) {
		all = append(all, choice{t.Const, t.Title})
	}
	return all
}

// fieldsOf reads the schema of a form. The fields are in its order.
func fieldsOf(form jsontext.Value) ([]field, error) {
	var f struct {
		Properties jsontext.Value `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := jsonv2.Unmarshal(form, &f); err != nil {
		return nil, err
	}
	var fields []field
	if f.Properties.Kind() != '{' {
		return nil, errors.New("the form has no properties")
	}
	d := jsontext.NewDecoder(bytes.NewReader(f.Properties))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		one := field{name: name.String()}
		var s schema
		if err := jsonv2.UnmarshalDecode(d, &s); err != nil {
			return nil, err
		}
		one.label, one.kind, one.fallback = s.Title, s.Type, s.Default
		if s.Description != "" {
			one.label = strings.TrimSpace(one.label + " (" + s.Description + ")")
		}
		one.choices = append(s.choices(), s.Items.choices()...)
		one.limits = s.limits
		one.required = slices.Contains(f.Required, one.name)
		fields = append(fields, one)
	}
	return fields, nil
}

// prompt is what stands before the answer.
func (f field) prompt() string {
	text := f.name
	if f.label != "" {
		text += ", " + f.label
	}
	notes := f.limits.notes(f.kind)
	if f.choices != nil {
		notes = append([]string{f.numbers()}, notes...)
	}
	if f.required && f.fallback == nil {
		notes = append(notes, "required")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	switch {
	case f.kind == "boolean" && string(f.fallback) == "true":
		text += " [Y/n]"
	case f.kind == "boolean":
		text += " (y/n)"
	case f.fallback != nil:
		text += " [" + strings.Trim(string(f.fallback), `"`) + "]"
	}
	return text
}

// numbers describes how to choose by number.
func (f field) numbers() string {
	if f.kind == "array" {
		return fmt.Sprintf("numbers from 1 to %d, with commas between", len(f.choices))
	}
	return fmt.Sprintf("a number from 1 to %d", len(f.choices))
}

// read returns the value of a line, or what is wrong with it.
func (f field) read(line string) (value any, fault string) {
	switch f.kind {
	case "boolean":
		switch strings.ToLower(line) {
		case "y", "yes", "true":
			return true, ""
		case "n", "no", "false":
			return false, ""
		}
		return nil, "write y or n"
	case "number", "integer":
		n, err := strconv.ParseFloat(line, 64)
		switch v := jsontext.Value(line); {
		case err != nil || !v.IsValid():
			return nil, "write a number"
		case f.kind == "integer" && n != math.Trunc(n):
			return nil, "write a whole number"
		}
		return jsontext.Value(line), f.limits.number(n)
	case "array":
		values := []string{}
		if line == "" && f.required {
			return nil, "required"
		}
		for part := range strings.SplitSeq(line, ",") {
			one, fault := f.choose(strings.TrimSpace(part))
			if fault != "" {
				return nil, fault
			}
			values = append(values, one)
		}
		return values, f.limits.items(len(values))
	}
	if line == "" {
		return nil, "required"
	}
	if f.choices != nil {
		return f.choose(line)
	}
	return line, f.limits.text(line)
}

// choose finds what was chosen, by its value, its title or its number.
func (f field) choose(text string) (value, fault string) {
	for _, c := range f.choices {
		if strings.EqualFold(text, c.value) || strings.EqualFold(text, c.title) {
			return c.value, ""
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].value, ""
	}
	return "", fmt.Sprintf("%q is not one of the choices", text)
}
