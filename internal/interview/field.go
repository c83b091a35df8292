package interview

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A field is one of a form.
type field struct {
	name, label string
	kind        string   // string, number, integer, boolean or array
	choices     []choice // nil: anything
	fallback    jsontext.Value
	required    bool
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
	var titles []string
	for _, c := range f.choices {
		if c.title == c.value {
			titles = append(titles, c.value)
		} else {
			titles = append(titles, c.value+" = "+c.title)
		}
	}
	if titles != nil {
		text += ": " + strings.Join(titles, ", ")
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

// read makes a value of a line, or says why it is none.
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
		_, err := strconv.ParseFloat(line, 64)
		if v := jsontext.Value(line); err != nil || !v.IsValid() {
			return nil, "write a number"
		}
		return jsontext.Value(line), ""
	case "array":
		values := []string{}
		for part := range strings.SplitSeq(line, ",") {
			one, fault := f.choose(strings.TrimSpace(part))
			if fault != "" {
				return nil, fault
			}
			values = append(values, one)
		}
		return values, ""
	}
	if line == "" {
		return nil, "this one is needed"
	}
	if f.choices != nil {
		return f.choose(line)
	}
	return line, ""
}

// choose finds what was chosen, by its value or its title.
func (f field) choose(text string) (value, fault string) {
	for _, c := range f.choices {
		if strings.EqualFold(text, c.value) || strings.EqualFold(text, c.title) {
			return c.value, ""
		}
	}
	return "", fmt.Sprintf("%q is none of them", text)
}
