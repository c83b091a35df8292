package schema

import "cmp"

// A Fault is one way in which a document fails its schema.
type Fault struct {
	Pointer string // JSON pointer (RFC 6901) to the value at fault; "" is the whole document
	Keyword string // the keyword that is not met; "false" where the schema is just false
	Message string // what was expected and what came, for a reader who will mend it
}

// String returns the fault on one line: its message and, below the root, its place.
func (f Fault) String() string {
	if f.Pointer == "" {
		return f.Message
	}
	return "at " + clipPointer(f.Pointer) + ": " + f.Message
}

func (f Fault) compare(g Fault) int {
	return cmp.Or(cmp.Compare(f.Pointer, g.Pointer), cmp.Compare(f.Keyword, g.Keyword), cmp.Compare(f.Message, g.Message))
}

// A finding is a fault as an engine reports it, before it is put into words.
type finding struct {
	at      []string // tokens of the JSON pointer
	keyword string

	// want depends on the keyword. It is mostly the value of the keyword,
	// but for:
	//
	//	type                         []string, the types
	//	required                     string, the name of the missing property
	//	dependencies and its heirs   [2]string, that name and the property that asks for it
	//	additionalProperties         []string, the allowed ones, ready to show; at is the property
	//	propertyNames                string, the name; branches holds what is wrong with it
	//	additionalItems              int, how many are too many
	//	uniqueItems                  [2]int, the places of the equal items
	//	contains and its heirs       *containing
	//	oneOf                        []int, the alternatives that fit, when more than one does
	want any

	branches [][]finding // anyOf, oneOf: why the alternatives do not fit, the first few of them
	total    int         // how many alternatives there are
}

// containing is what contains, minContains and maxContains want.
type containing struct {
	schema any // the value of contains
	limit  any // the value of the keyword, nil for contains
	got    int // how many items fit
}

// inWords turns the findings about doc into faults.
func inWords(found []finding, doc any) []Fault {
	d := describer{value: func(at []string) any { return lookup(doc, at) }}
	return d.faults(found)
}

// allowedProperties is what additionalProperties wants, from sorted names and patterns.
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
