package schema

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// A Remark is about a place in a valid schema.
type Remark struct {
	Pointer      string // a JSON pointer to the place
	Reason, Hint string
}

// A linter collects remarks.
type linter struct {
	all  []Remark
	seen map[string]bool // names of headers
}

func (l *linter) remark(at []string, reason, hint string) {
	l.all = append(l.all, Remark{pointer(at...), reason, hint})
}

// Lint returns what is probably not meant like that in a schema: words that are not keywords, and required properties
// that are not described. With portable, also what providers of models refuse in the schema of arguments, some of them
// with all other tools of the session.
func Lint(raw []byte, portable bool) []Remark {
	value, err := schemaIn(raw)
	root, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	l := &linter{}
	l.meaning(root, nil, true)
	if portable {
		for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
			if root[keyword] != nil {
				l.remark([]string{keyword}, "is at the root, and some clients refuse the tool, or all tools, for that",
					"describe all arguments in properties, and check combinations in the script")
			}
		}
		l.portable(root, nil)
	}
	return l.all
}

// subschemas calls do for the schemas that are directly within a schema, with their keywords and places.
func subschemas(schema map[string]any, at []string, do func(keyword string, schema map[string]any, at []string)) {
	visit := func(keyword string, value any, below ...string) {
		if inner, ok := value.(map[string]any); ok {
			do(keyword, inner, slices.Concat(at, []string{keyword}, below))
		}
	}
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		items, _ := schema[keyword].([]any)
		names, _ := schema[keyword].(map[string]any)
		switch holders[keyword] {
		case byNames:
			for _, name := range slices.Sorted(maps.Keys(names)) {
				visit(keyword, names[name], name)
			}
		case itself:
			visit(keyword, schema[keyword])
			for i, item := range items {
				visit(keyword, item, strconv.Itoa(i))
			}
		}
	}
}

// parts are the keywords whose schemas are about the same value as the schema itself, so that its properties may be
// described elsewhere.
var parts = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}

// DescribesElsewhere reports whether a schema may describe properties by a keyword, elsewhere than in properties.
func DescribesElsewhere(keyword string) bool {
	return keyword != "not" && slices.Contains(parts, keyword) ||
		slices.Contains([]string{"$ref", "$dynamicRef", "patternProperties"}, keyword)
}

// meaning remarks on a schema and on those within it. whole is false for a part of a schema.
func (l *linter) meaning(schema map[string]any, at []string, whole bool) {
	for _, name := range slices.Sorted(maps.Keys(schema)) {
		if slices.Contains(Keywords(), name) {
			continue
		}
		if meant := suggest.Of(name, Keywords()); meant != "" {
			l.remark(append(slices.Clone(at), name), "is not a keyword of JSON Schema, so it checks nothing",
				suggest.Question(meant))
		}
	}
	if whole {
		l.required(schema, at)
	}
	subschemas(schema, at, func(keyword string, inner map[string]any, at []string) {
		l.meaning(inner, at, !slices.Contains(parts, keyword))
	})
}

// required remarks on required properties that are not described, where nothing else could describe them.
func (l *linter) required(schema map[string]any, at []string) {
	required, _ := schema["required"].([]any)
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return // its properties are not listed
	}
	for keyword, value := range schema {
		_, others := value.(map[string]any)
		others = others && (keyword == "additionalProperties" || keyword == "unevaluatedProperties")
		if others || DescribesElsewhere(keyword) {
			return
		}
	}
	for i, value := range required {
		name, ok := value.(string)
		if _, described := properties[name]; !ok || described {
			continue
		}
		hint := "describe it in properties, or remove it from required"
		if meant := suggest.Of(name, slices.Sorted(maps.Keys(properties))); meant != "" {
			hint = suggest.Question(meant)
		}
		l.remark(append(slices.Clone(at), "required", strconv.Itoa(i)),
			fmt.Sprintf("%q is required, but it is not one of the properties", name), hint)
	}
}

// portableName matches the names of arguments that all providers of models take.
var portableName = lazyregexp.New(`^[A-Za-z0-9_.-]{1,64}$`)

// portable remarks on what some clients refuse at any depth.
func (l *linter) portable(schema map[string]any, at []string) {
	remark := func(reason, hint string, below ...string) { l.remark(slices.Concat(at, below), reason, hint) }
	if schema["nullable"] != nil {
		remark("is not a keyword of JSON Schema, so null is not allowed here; some clients refuse it",
			`write "type":["string","null"], or leave the argument out of required`, "nullable")
	}
	if _, tuple := schema["items"].([]any); tuple {
		remark("is an array, a tuple of draft 7, which some clients refuse",
			"describe all items by one schema, or use an object", "items")
	} else if schema["type"] == "array" && schema["items"] == nil && schema["prefixItems"] == nil {
		remark("is array without items, which some clients refuse", `write "items", as in "items":{"type":"string"}`,
			"type")
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !portableName.Get().MatchString(name) {
			remark("some clients refuse arguments with such a name", "use 1 to 64 of A-Z a-z 0-9 _ . -", "properties", name)
		}
	}
	subschemas(schema, at, func(_ string, inner map[string]any, at []string) { l.portable(inner, at) })
}

// headerKeyword makes an argument a header for clients over HTTP, which refuse a tool whose headers
// are wrong. Over stdio it has no effect.
const headerKeyword = "x-mcp-header"

// fieldName matches the name of a header, a token of RFC 9110.
var fieldName = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// Headers returns the headers in the schema of arguments that clients refuse: with an invalid or duplicate name, with a
// value that is not an integer, a string or a boolean, or at a place that is not reached by properties alone (T-31).
func Headers(raw []byte) []Remark {
	if !bytes.Contains(raw, []byte(headerKeyword)) {
		return nil
	}
	l := &linter{seen: make(map[string]bool)}
	if value, err := schemaIn(raw); err == nil {
		root, _ := value.(map[string]any)
		l.headers(root, nil, false, true)
	}
	return l.all
}

// headers remarks on a schema and on those within it. isProperty means that it describes a property, reached
// that only properties lead to it.
func (l *linter) headers(schema map[string]any, at []string, isProperty, reached bool) {
	if header, there := schema[headerKeyword]; there {
		name, _ := header.(string)
		why, lower := "", strings.ToLower(name)
		switch {
		case !fieldName.Get().MatchString(name):
			why = "must be the name of a header"
		case !isProperty || !reached:
			why = "must be on an argument, or on one inside of it"
		case !slices.Contains([]any{"integer", "string", "boolean"}, schema["type"]):
			why = "must be on an integer, a string or a boolean"
		case l.seen[lower]:
			why = fmt.Sprintf("names the header %q a second time", name)
		default:
			l.seen[lower] = true
		}
		if why != "" {
			l.remark(append(slices.Clone(at), headerKeyword), why, "clients over HTTP refuse the tool")
		}
	}
	subschemas(schema, at, func(keyword string, inner map[string]any, at []string) {
		l.headers(inner, at, keyword == "properties", reached && keyword == "properties")
	})
}
