package mcp

import "github.com/mcp-bash/mcp-bash/v2/internal/json"

// FormIn returns the schema of a form as revision r knows it: older revisions have defaults of
// booleans only, and titled choices are enum and enumNames (EL-05). It reports false for a form
// that r cannot express: in older revisions the user cannot choose several values.
func FormIn(schema json.Value, r *Revision) (in json.Value, ok bool) {
	if r.FormDefaults && r.FormChoices {
		return schema, true
	}
	in = json.Edit(schema, func(m json.Member) json.Value {
		if m.Name != "properties" {
			return m.Value
		}
		ok = m.Value.Kind() == '{'
		return json.Edit(m.Value, func(m json.Member) json.Value { // in the order in which people are asked
			field, known := r.field(m.Value)
			ok = ok && known
			return field
		})
	})
	if !ok {
		return nil, false
	}
	return in, true
}

// field returns the schema of a field; ok is false for one that r cannot express.
func (r *Revision) field(schema json.Value) (in json.Value, ok bool) {
	var field map[string]json.Value
	if json.Unmarshal(schema, &field, json.Lenient) != nil {
		return nil, false
	}
	kind := json.Text(field["type"])
	if kind == "array" && !r.FormChoices {
		return nil, false
	}
	if kind != "boolean" && !r.FormDefaults {
		delete(field, "default")
	}
	if field["oneOf"] != nil && !r.FormChoices {
		values, titles := choices(field["oneOf"])
		delete(field, "oneOf")
		field["enum"], field["enumNames"] = json.Encode(values), json.Encode(titles)
	}
	return json.Encode(field), true
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
