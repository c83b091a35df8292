package schema

import (
	"maps"
	"slices"
)

// A rule is a schema made ready to judge values: all keywords read, all references
// followed. It does not change once its document has been read.
type rule struct {
	at     string         // JSON pointer to it in its document
	source map[string]any // the keywords as they are written; nil for true and false
	home   *resource
	never  bool // the schema false

	types     kinds // 0 for any
	typeNames []string
	constant  *valueSet
	enum      *valueSet

	ref             *rule
	replaced        bool // ref replaces all other keywords, as it does up to draft-07
	recursiveRef    *rule
	dynamicRef      *rule
	dynamicName     string // the anchor that dynamicRef names, "" for a pointer
	dynamicAnchor   string
	recursiveAnchor bool

	allOf, anyOf, oneOf             []*rule
	not, condition, then, otherwise *rule

	minimum, maximum, above, below, multipleOf *number
	minLength, maxLength                       *number
	pattern                                    *pattern
	format                                     string

	minItems, maxItems, minContains, maxContains *number
	unique                                       bool
	prefix                                       []*rule
	items                                        *rule // for those after prefix
	noMoreItems                                  bool  // additionalItems is false
	contains                                     *rule
	containsCounts                               bool // what contains has found counts as evaluated

	minProperties, maxProperties *number
	required                     []string
	dependents                   []dependent
	properties                   map[string]*rule
	patterns                     []namePattern
	additional                   *rule
	noMoreProperties             bool     // additionalProperties is false
	allowed                      []string // with noMoreProperties, ready to show
	propertyNames                *rule

	unevaluatedItems, unevaluatedProperties *rule
}

// A namePattern is one of patternProperties.
type namePattern struct {
	names *pattern
	rule  *rule
}

// A dependent is what holds for objects that have a property.
type dependent struct {
	property string
	keyword  string
	required []string
	rule     *rule
}

// A resource is a schema with an address of its own, and what can be found below it.
type resource struct {
	base    string // its address, without fragment
	root    *rule
	in      *document
	dialect *dialect
	anchors map[string]*rule
	dynamic map[string]*rule // those of them that $dynamicRef looks for
}

// A document is one JSON text with schemas in it.
type document struct {
	value   any
	rules   map[string]*rule // by JSON pointer
	builtIn bool             // shared by all who refer to it, so nothing is added
}

// sameValue lists the rules that judge the very value that r judges. $dynamicRef and
// $recursiveRef are not among them, since where they lead depends on the way.
func (r *rule) sameValue() []*rule {
	list := present(r.ref, r.not, r.condition, r.then, r.otherwise)
	list = append(append(append(list, r.allOf...), r.anyOf...), r.oneOf...)
	for _, d := range r.dependents {
		list = append(list, present(d.rule)...)
	}
	return list
}

// parts lists the rules that judge members and items of the value, and the first
// targets of $dynamicRef and $recursiveRef.
func (r *rule) parts() []*rule {
	list := present(r.propertyNames, r.unevaluatedProperties, r.contains, r.items, r.unevaluatedItems, r.additional, r.recursiveRef, r.dynamicRef)
	for _, name := range slices.Sorted(maps.Keys(r.properties)) {
		list = append(list, r.properties[name])
	}
	for _, p := range r.patterns {
		list = append(list, p.rule)
	}
	return append(list, r.prefix...)
}

func present(rules ...*rule) []*rule {
	list := rules[:0]
	for _, r := range rules {
		if r != nil {
			list = append(list, r)
		}
	}
	return list
}
