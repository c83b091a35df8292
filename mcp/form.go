package mcp

import (
	"bytes"
	"errors"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// FormIn returns the schema of a form as revision r knows it: older revisions have defaults of
// booleans only, and titled choices are enum and enumNames (EL-05). It reports false for a form
// that r cannot express: in older revisions the user cannot choose several values.
func FormIn(schema json.Value, r *Revision) (in json.Value, ok bool) {
	if r.FormDefaults && r.FormChoices {
		return schema, true
	}
	var form map[string]json.Value
	if json.Unmarshal(schema, &form, json.Lenient) != nil {
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
func fieldsOf(properties json.Value) (names []string, fields []map[string]json.Value, err error) {
	if properties.Kind() != '{' {
		return nil, nil, errors.New("not an object")
	}
	d := json.NewDecoder(bytes.NewReader(properties), json.Lenient)
	if _, err := d.ReadToken(); err != nil {
		return nil, nil, err
	}
	for d.PeekKind() == '"' {
		var name string
		var field map[string]json.Value
		if err := errors.Join(json.UnmarshalDecode(d, &name), json.UnmarshalDecode(d, &field)); err != nil {
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
func choices(oneOf json.Value) (values []json.Value, titles []string) {
	var all []struct {
		Const json.Value `json:"const"`
		Title string     `json:"title"`
	}
	_ = json.Unmarshal(oneOf, &all, json.Lenient) // anything else is left out
	for _, c := range all {
		values, titles = append(values, c.Const), append(titles, c.Title)
	}
	return values, titles
}

func encoded(v any) json.Value {
	text, err := json.Marshal(v, json.Deterministic(true), json.Lenient)
	if err != nil {
		panic(err) // the JSON was parsed before
	}
	return text
}
