package schema

import (
	"cmp"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Fault is one violation of a schema by a document.
type Fault struct {
	At      []string // the names and indexes on the way to the faulty value; none for the whole document
	Keyword string   // the violated keyword; "false" for the schema false
	Message string   // the expected and the actual value, for people and models
}

// Pointer returns the JSON pointer (RFC 6901) to the faulty value; "" is the whole document.
func (f Fault) Pointer() string { return pointer(f.At...) }

// String returns the fault on one line: its message and, below the root, its place.
func (f Fault) String() string {
	if len(f.At) == 0 {
		return f.Message
	}
	return "at " + clipPointer(f.Pointer()) + ": " + f.Message
}

func (f Fault) compare(g Fault) int {
	return cmp.Or(slices.Compare(f.At, g.At), cmp.Compare(f.Keyword, g.Keyword), cmp.Compare(f.Message, g.Message))
}

// A finding is a fault as an engine reports it, before it has a message.
type finding struct {
	at      []string // tokens of the JSON pointer
	keyword string

	// want depends on the keyword. It is the value of the keyword, except
	// for:
	//
	//	type                         []string, the types
	//	required                     string, the name of the missing property
	//	dependencies and the like    [2]string, that name and the property that requires it
	//	additionalProperties         []string, the allowed ones, formatted; at is the property
	//	propertyNames                string, the name; its faults are in branches
	//	additionalItems              int, how many are too many
	//	uniqueItems                  [2]int, the places of the equal items
	//	contains and the like        *containing
	//	oneOf                        []int, the matching alternatives, if more than one
	want any

	branches [][]finding // anyOf, oneOf: the faults of the first few alternatives
	total    int         // number of alternatives
}

// containing is the want of contains, minContains and maxContains.
type containing struct {
	schema any // the value of contains
	limit  any // the value of the keyword
	got    int // number of matching items
}

// describe returns the faults for findings about doc.
func describe(found []finding, doc any) []Fault {
	d := describer{value: func(at []string) any { value, _ := find(doc, at); return value }}
	return d.faults(found)
}

// allowedProperties returns the want of additionalProperties, from sorted names and patterns.
func allowedProperties(names, patterns []string) []string {
	allowed := make([]string, 0, len(names)+len(patterns))
	for _, name := range names {
		allowed = append(allowed, show(name))
	}
	for _, pattern := range patterns {
		allowed = append(allowed, "names that match "+clip(pattern))
	}
	return allowed
}

// pointer joins tokens, names and indexes, to a JSON pointer (RFC 6901); "" is the root.
func pointer(tokens ...string) string {
	var p json.Pointer
	for _, token := range tokens {
		p = p.AppendToken(token)
	}
	return string(p)
}

// tokens splits a JSON pointer.
func tokens(pointer string) []string { return slices.Collect(json.Pointer(pointer).Tokens()) }

// An Error is an error at a place in a document.
type Error struct {
	pointer string
	err     error
}

func (p *Error) Error() string {
	text := p.err.Error()
	if p.pointer != "" {
		text = "at " + clipPointer(p.pointer) + ": " + text
	}
	if _, meta := p.err.(invalid); meta {
		text = "not a valid schema: " + text
	}
	return text
}

// Unwrap returns the error without its place.
func (p *Error) Unwrap() error { return p.err }

// Pointer returns the JSON pointer to the faulty value.
func (p *Error) Pointer() string { return p.pointer }

// Keyword returns the keyword in a schema that the place belongs to, "" if a schema itself is faulty.
func (p *Error) Keyword() string { return keywordAt(tokens(p.pointer)) }
