package interview

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A field is one of a form.
type field struct {
	name, label string
	kind        string   // string, number, integer, boolean or array
	choices     []choice // nil: anything
	bounds      bounds
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
	limits
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
		one.bounds = s.bounds(s.Type)
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
	if about := f.about(); about != "" {
		text += " (" + about + ")"
	}
	var titles []string
	for i, c := range f.choices {
		title := c.value
		if c.title != c.value {
			title += " = " + c.title
		}
		titles = append(titles, fmt.Sprintf("%d) %s", i+1, title))
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

// about is what an answer must be, apart from its type.
func (f field) about() string {
	var all []string
	if f.kind == "array" {
		all = append(all, "several, with commas between them")
	}
	if f.bounds.text != "" {
		all = append(all, f.bounds.text)
	}
	if f.required && f.fallback == nil && f.kind != "boolean" {
		all = append(all, "required")
	}
	return strings.Join(all, "; ")
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
		n, err := strconv.ParseFloat(line, 64)
		switch v := jsontext.Value(line); {
		case err != nil || !v.IsValid():
			return nil, "write a number"
		case f.kind == "integer" && n != math.Trunc(n):
			return nil, "write a whole number"
		}
		return jsontext.Value(line), f.bounds.fault(n)
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
		return values, f.bounds.fault(float64(len(values)))
	}
	if line == "" {
		return nil, "required"
	}
	if f.choices != nil {
		return f.choose(line)
	}
	return line, f.bounds.fault(float64(utf8.RuneCountInString(line)))
}

// choose finds what was chosen: by its value or its title, else by its number.
func (f field) choose(text string) (value, fault string) {
	for _, c := range f.choices {
		if strings.EqualFold(text, c.value) || strings.EqualFold(text, c.title) {
			return c.value, ""
		}
	}
	if i, err := strconv.Atoi(text); err == nil && i >= 1 && i <= len(f.choices) {
		return f.choices[i-1].value, ""
	}
	return "", fmt.Sprintf("%q is not one of the choices", text)
}
