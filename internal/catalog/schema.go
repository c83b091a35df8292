package catalog

import (
	"errors"
	"slices"
	"strconv"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// anyArguments is the inputSchema of a tool that declares none. Some clients expect properties in
// every schema.
const anyArguments = `{"type":"object","properties":{}}`

// inputSchema reads inputSchema, or arguments, its older name. The root is an object schema (T-01):
// a missing type is added, and missing properties, without which some clients refuse the tool; all
// other bytes are the author's (T-20).
func (o object) inputSchema() json.Value {
	name := "inputSchema"
	if old, ok := o.get("arguments"); ok {
		if _, both := o.get(name); both {
			o.warn(old, "is an older name for inputSchema, which is also present and takes precedence", "remove one of the two")
		} else {
			name = "arguments"
		}
	}
	m, ok := o.strictly().typed(name, '{')
	if !ok {
		return json.Value(anyArguments)
	}
	inner, text := o.inner(m), o.shown(m)
	if _, ok := inner.written("properties"); !ok {
		text = withMember(text, `"properties":{}`)
	}
	if kind, ok := inner.written("type"); !ok {
		inner.warnBareProperties(o, m)
		text = withMember(text, `"type":"object"`)
	} else if string(kind.Value) != `"object"` {
		inner.deny(kind, "must be \"object\", because arguments are an object",
			`write "type":"object" and put this schema into "properties"`)
	}
	o.checkSchema(m, text)
	for _, r := range schema.Headers(text) {
		o.warn(o.within(m, json.Pointer(r.Pointer)), r.Reason, r.Hint)
	}
	return text
}

// outputSchema reads outputSchema; nil when absent.
func (o object) outputSchema() json.Value {
	m, ok := o.strictly().typed("outputSchema", '{')
	if !ok {
		return nil
	}
	text := o.shown(m)
	o.checkSchema(m, text)
	return text
}

// checkSchema leaves the tool out if a schema has a fault, except in a keyword that only describes, or
// that is null or false and so refuses nothing: that is dropped, unless there are too many.
func (o object) checkSchema(m json.Member, text json.Value) {
	err := schema.Check(text)
	if err == nil {
		return
	}
	placed, ok := errors.AsType[*schema.Error](err)
	if !ok || placed.Pointer() == "" {
		o.deny(m, document.OneLine(err.Error()), "")
		return
	}
	at := o.within(m, json.Pointer(placed.Pointer()))
	nothing := at.Value.Kind() == 'n' || at.Value.Kind() == 'f'
	if (nothing || schema.Describes(placed.Keyword())) && o.refusedIn(m) < manyLosses {
		o.refuse(at, document.OneLine(placed.Unwrap().Error()), "")
		return
	}
	reason, hint := document.OneLine(placed.Unwrap().Error()), schemaHint(placed.Keyword(), at.Value)
	if word, slip := notAType(placed.Keyword(), at.Value); slip {
		reason, hint = strconv.Quote(word)+" is not a type", meantType(word)
	}
	at.Name = m.Name
	o.deny(at, "at "+placed.Pointer()+": "+reason, hint)
}

// manyLosses is the number of losses that leave nothing useful of a schema.
const manyLosses = 20

// withMember adds a member to an object, in front of what is there.
func withMember(object json.Value, text string) json.Value {
	if string(object) != "{}" {
		text += ","
	}
	return slices.Concat(object[:1], []byte(text), object[1:])
}

// warnBareProperties finds a map of arguments where a schema should be:
// {"city":{"type":"string"}}. As a schema it allows everything.
func (o object) warnBareProperties(parent object, m json.Member) {
	if len(o.members) == 0 {
		return
	}
	for _, field := range o.members {
		if slices.Contains(rootKeywords, field.Name) || field.Value.Kind() != '{' {
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
