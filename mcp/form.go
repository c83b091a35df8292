package mcp

import (
	"bytes"
	"errors"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// FormIn returns the schema of a form as revision r knows it: older revisions have defaults of
// booleans only, and titled choices are enum and enumNames (EL-05). It reports false for a form
// that r cannot express: in older revisions the user cannot choose several values.
func FormIn(schema jsontext.Value, r *Revision) (in jsontext.Value, ok bool) {
	if r.FormDefaults && r.FormChoices {
		return schema, true
	}
	var form map[string]jsontext.Value
	if jsonv2.Unmarshal(schema, &form, lenient) != nil {
		return nil, false
	}
	names, fields, err := fieldsOf(form["properties"])
	if err != nil {
		return nil, false
	}
	for _, field := range fields {
		kind := string(field["type"])
		if kind == `"array"` && !r.FormChoices {
			return nil, false
		}
		if kind != `"boolean"` && !r.FormDefaults {
			delete(field, "default")
		}
		if field["oneOf"] != nil && !r.FormChoices {
			values, titles := choices(field["oneOf"])
			delete(field, "oneOf")
			field["enum"], field["enumNames"] = encoded(values), encoded(titles)
		}
	}
	properties := []byte{'{'}
	for i, name := range names { // in the order in which people are asked
		if i > 0 {
			properties = append(properties, ',')
		}
		properties = append(append(append(properties, encoded(name)...), ':'), encoded(fields[i])...)
	}
	form["properties"] = append(properties, '}')
	return encoded(form), true
}

// fieldsOf returns the fields of a form in order.
func fieldsOf(properties jsontext.Value) (names []string, fields []map[string]jsontext.Value, err error) {
	if properties.Kind() != '{' {
		return nil, nil, errors.New("not an object")
	}
	d := jsontext.NewDecoder(bytes.NewReader(properties), lenient)
	if _, err := d.ReadToken(); err != nil {
		return nil, nil, err
	}
	for d.PeekKind() == '"' {
		var name string
		var field map[string]jsontext.Value
		if err := errors.Join(jsonv2.UnmarshalDecode(d, &name), jsonv2.UnmarshalDecode(d, &field)); err != nil {
			return nil, nil, err
		}
		if at := slices.Index(names, name); at >= 0 { // of duplicates the last counts
			fields[at] = field
			continue
		}
		names, fields = append(names, name), append(fields, field)
	}
	return names, fields, nil
}

// choices returns the values that a user may choose from, and their titles.
func choices(oneOf jsontext.Value) (values []jsontext.Value, titles []string) {
	var all []struct {
		Const jsontext.Value `json:"const"`
		Title string         `json:"title"`
	}
	_ = jsonv2.Unmarshal(oneOf, &all, lenient) // anything else is left out
	for _, c := range all {
		values, titles = append(values, c.Const), append(titles, c.Title)
	}
	return values, titles
}

func encoded(v any) jsontext.Value {
	text, err := jsonv2.Marshal(v, jsonv2.Deterministic(true), lenient)
	if err != nil {
		panic(err) // the JSON was parsed before
	}
	return text
}
