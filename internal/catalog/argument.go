package catalog

import (
	"strconv"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// An Argument is an argument of a prompt. Values are strings (PR-03).
type Argument struct {
	Name        string
	Title       string
	Description string
	Required    bool
	Default     *string // the value if it is not given; nil: the placeholder stays
}

// arguments reads the arguments of a prompt: an array of them, or a schema with a property for
// each. The values that they define are added to the completions of the prompt.
func (o object) arguments(root string, of *Prompt, folders []string) (all []Argument) {
	m, ok := o.get("arguments")
	if !ok {
		return nil
	}
	seen := make(map[string]bool)
	add := func(name string, a object, at json.Member, required bool) {
		if seen[name] {
			o.refuse(at, strconv.Quote(name)+" is a duplicate", "keep one of the two")
			return
		}
		seen[name] = true
		argument := Argument{Name: name, Title: a.text("title"), Description: a.text("description"), Required: required}
		if yes, ok := a.get("required"); ok && yes.Value.Kind() != '[' { // in a schema, an array names nested properties
			argument.Required = a.flag("required") != nil && yes.Value.Kind() == 't'
		}
		if m, ok := a.get("default"); ok {
			if value, ok := a.scalar(m); ok {
				argument.Default = &value
			}
		}
		all = append(all, argument)
		if completion, ok := a.argumentCompletion(root, folders); ok {
			if of.Completions == nil {
				of.Completions = make(map[string]Completion)
			}
			of.Completions[name] = completion
		}
	}
	if m.Value.Kind() == '{' {
		o.argumentSchema(m, add)
	} else if o.is(m, '[') {
		o.argumentArray(m, add)
	}
	return all
}

// argumentArray is [{"name": "city", "required": true}, …].
func (o object) argumentArray(m json.Member, add func(name string, a object, at json.Member, required bool)) {
	for _, element := range o.elements(m) {
		if !o.is(element, '{') {
			continue
		}
		a := o.inner(element)
		name := a.entryName("")
		if name == "" {
			o.refuse(element, "has no name", `write "name": "city"`)
			continue
		}
		a.warnMisspelled("name", "title", "description", "required", "default", "values", "enum", "completion")
		add(name, a, element, false)
	}
}

// argumentSchema is {"type": "object", "properties": {"city": {…}}, "required": ["city"]}.
func (o object) argumentSchema(m json.Member, add func(name string, a object, at json.Member, required bool)) {
	schema := o.inner(m)
	required := make(map[string]bool)
	if names, ok := schema.typed("required", '['); ok {
		for _, name := range schema.elements(names) {
			if schema.is(name, '"') {
				required[json.Text(name.Value)] = true
			}
		}
	}
	if _, ok := schema.get("properties"); !ok {
		schema.warnBareProperties(o, m)
	}
	properties := schema.object("properties")
	for _, property := range properties.members {
		a := object{reading: o.reading}
		switch property.Value.Kind() {
		case '{':
			a = properties.inner(property)
		case 't', 'f':
		default:
			properties.warn(property, "must be an object, not "+kindName(kindOf(property.Value)), "")
		}
		add(property.Name, a, property, required[property.Name])
	}
}

// argumentCompletion reads how an argument is completed: values, or enum, as in schemas, or
// completion, which may be a script.
func (o object) argumentCompletion(root string, folders []string) (c Completion, ok bool) {
	if m, found := o.get("completion"); found {
		return o.completion(m, root, folders)
	}
	for _, field := range []string{"values", "enum"} {
		if m, found := o.typed(field, '['); found {
			return Completion{Values: o.strings(m)}, true
		}
	}
	return Completion{}, false
}

// strings reads an array of strings, each with scalar. Null is left out.
func (o object) strings(m json.Member) []string {
	all := []string{}
	for _, element := range o.elements(m) {
		if element.Value.Kind() == 'n' {
			continue
		}
		if value, ok := o.scalar(element); ok {
			all = append(all, value)
		}
	}
	return all
}

// scalar reads a string. Numbers, true and false become their text, because values of arguments are
// strings.
func (o object) scalar(m json.Member) (value string, ok bool) {
	switch m.Value.Kind() {
	case '0', 't', 'f':
		return string(m.Value), true
	}
	if !o.is(m, '"') {
		return "", false
	}
	return json.Text(m.Value), true
}

// storeArguments writes arguments so that reading them gives the same.
func storeArguments(w *objectWriter, all []Argument) {
	if len(all) == 0 {
		return
	}
	var array []json.Value
	for _, a := range all {
		var each objectWriter
		each.add("name", a.Name)
		each.text("title", a.Title)
		each.text("description", a.Description)
		if a.Required {
			each.add("required", true)
		}
		if a.Default != nil {
			each.add("default", *a.Default)
		}
		array = append(array, each.object())
	}
	w.add("arguments", json.Array(array))
}
