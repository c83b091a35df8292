package project

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
)

// anyArguments is the inputSchema of a tool that declares none. Some clients expect properties in
// every schema.
const anyArguments = `{"type":"object","properties":{}}`

// inputSchema reads inputSchema, or arguments, its older name. The root is an object schema (T-01):
// a missing type is added, all other bytes are the author's (T-20).
func (o object) inputSchema(check schemaCheck) jsontext.Value {
	name := "inputSchema"
	if old, ok := o.get("arguments"); ok {
		if _, both := o.get(name); both {
			o.warn(old, "is an older name for inputSchema, which is also present and takes precedence", "remove one of the two")
		} else {
			name = "arguments"
		}
	}
	m, ok := o.typed(name, '{')
	if !ok {
		return jsontext.Value(anyArguments)
	}
	inner := o.inner(m)
	if i := slices.IndexFunc(inner.members, func(m member) bool { return m.name == "type" }); i < 0 {
		inner.warnBareProperties(o, m)
	} else if root := inner.members[i]; string(root.value) != `"object"` {
		inner.refuse(root, "must be \"object\", because arguments are an object", `write "type":"object" and put this schema into "properties"`)
	}
	o.lint(m)
	schema := o.shown(m)
	if _, ok := inner.get("type"); !ok {
		schema = withType(schema)
	}
	o.checkSchema(m, schema, check)
	o.warnHeaders(m)
	return schema
}

// outputSchema reads outputSchema; nil when absent.
func (o object) outputSchema(check schemaCheck) jsontext.Value {
	m, ok := o.typed("outputSchema", '{')
	if !ok {
		return nil
	}
	o.lint(m)
	schema := o.shown(m)
	o.checkSchema(m, schema, check)
	return schema
}

// A schemaCheck is Options.CheckSchema.
type schemaCheck func(schema []byte) (warnings []error, err error)

// checkSchema refuses the invalid value in a schema that the check reports, or the whole schema if
// it reports no place or if there are too many. Of a valid schema it reports the ignored patterns.
func (o object) checkSchema(m member, schema jsontext.Value, check schemaCheck) {
	if check == nil {
		return
	}
	warnings, err := checkSafely(check, schema)
	if err != nil {
		if o.refusedIn(m) < manyLosses {
			m = o.about(m, err)
		}
		o.refuse(m, oneLine(err.Error()), "")
		return
	}
	for i, w := range warnings {
		if i == manyLosses {
			o.warn(m, fmt.Sprintf("%d more patterns are ignored", len(warnings)-i), "")
			return
		}
		o.warn(o.about(m, w), oneLine(w.Error()), "write it in the syntax of JavaScript, or remove it")
	}
}

// about returns the value in m that an error of a schemaCheck is about, or m.
func (o object) about(m member, err error) member {
	placed, ok := errors.AsType[interface {
		error
		Pointer() string
	}](err)
	if !ok {
		return m
	}
	return o.within(m, jsontext.Pointer(placed.Pointer()))
}

// manyLosses is the number of losses that leave nothing useful of a schema.
const manyLosses = 20

// checkSafely calls check and turns a panic into an error: one schema must not stop the server.
func checkSafely(check schemaCheck, schema []byte) (warnings []error, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the check of this schema panicked: %v", r)
		}
	}()
	return check(schema)
}

// withType adds "type":"object" to an object that has none, in front of what is there.
func withType(schema jsontext.Value) jsontext.Value {
	if string(schema) == "{}" {
		return jsontext.Value(`{"type":"object"}`)
	}
	return jsontext.Value(bytes.Replace(schema, []byte("{"), []byte(`{"type":"object",`), 1))
}

// warnBareProperties finds a map of arguments where a schema should be:
// {"city":{"type":"string"}}. As a schema it allows everything.
func (o object) warnBareProperties(parent object, m member) {
	if len(o.members) == 0 {
		return
	}
	for _, field := range o.members {
		if slices.Contains(rootKeywords, field.name) || field.value.Kind() != '{' {
			return
		}
	}
	parent.warn(m, "looks like a list of arguments, not like a schema, so it checks nothing",
		`write {"type":"object","properties":{…}} around it`)
}

// rootKeywords are what an object schema may begin with instead of type.
var rootKeywords = []string{
	"$schema", "$id", "$ref", "$dynamicRef", "$defs", "definitions", "$vocabulary", "$comment", "$anchor",
	"properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
	"dependentSchemas", "dependentRequired", "dependencies", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
}
