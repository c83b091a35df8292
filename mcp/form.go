package mcp

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FormIn returns the schema of a form as revision r knows it: an older one has
// defaults of booleans only, and shows titled choices as enum and enumNames
// (EL-05). It reports false for a form that r has no means for: an older one
// cannot let the user choose several.
func FormIn(schema jsontext.Value, r *Revision) (in jsontext.Value, ok bool) {
	if r.FormDefaults && r.FormChoices {
		return schema, true
	}
	var form map[string]jsontext.Value
	var fields map[string]map[string]jsontext.Value
	if jsonv2.Unmarshal(schema, &form, lenient) != nil || jsonv2.Unmarshal(form["properties"], &fields, lenient) != nil {
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
	form["properties"] = encoded(fields)
	return encoded(form), true
}

// choices takes apart what a user may choose from.
func choices(oneOf jsontext.Value) (values []jsontext.Value, titles []string) {
	var all []struct {
		Const jsontext.Value `json:"const"`
		Title string         `json:"title"`
	}
	_ = jsonv2.Unmarshal(oneOf, &all, lenient) // what is none is left out
	for _, c := range all {
		values, titles = append(values, c.Const), append(titles, c.Title)
	}
	return values, titles
}

func encoded(v any) jsontext.Value {
	text, err := jsonv2.Marshal(v, jsonv2.Deterministic(true), lenient)
	if err != nil {
		panic(err) // of JSON that was read
	}
	return text
}
