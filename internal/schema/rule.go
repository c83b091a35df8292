package schema

import "math/big"

// A rule is a compiled schema: all keywords are read, all references resolved. It does not
// change once its document has been read.
type rule struct {
	at     string         // JSON pointer to it in its document
	source map[string]any // the original keywords; nil for true and false
	home   *resource
	never  bool // the schema false

	types     kinds // 0 for any
	typeNames []string
	constant  *valueSet
	enum      *valueSet

	ref             *rule
	replaced        bool // ref replaces all other keywords, as up to draft-07
	recursiveRef    *rule
	dynamicRef      *rule
	dynamicName     string // the anchor that dynamicRef names, "" for a pointer
	dynamicAnchor   string
	recursiveAnchor bool

	allOf, anyOf, oneOf             []*rule
	not, condition, then, otherwise *rule

	minimum, maximum, above, below, multipleOf *big.Rat
	minLength, maxLength                       *big.Rat
	pattern                                    *pattern
	format                                     string

	minItems, maxItems, minContains, maxContains *big.Rat
	unique                                       bool
	prefix                                       []*rule
	items                                        *rule // for items after prefix
	noMoreItems                                  bool  // additionalItems is false
	contains                                     *rule
	containsCounts                               bool // items that match contains count as evaluated

	minProperties, maxProperties *big.Rat
	required                     []string
	dependents                   []dependent
	properties                   map[string]*rule
	patterns                     []namePattern
	additional                   *rule
	noMoreProperties             bool     // additionalProperties is false
	allowed                      []string // with noMoreProperties, formatted for messages
	propertyNames                *rule

	unevaluatedItems, unevaluatedProperties *rule
}

// A namePattern is a member of patternProperties.
type namePattern struct {
	names *pattern
	rule  *rule
}

// A dependent is the condition for objects that have a property.
type dependent struct {
	property string
	keyword  string
	required []string
	rule     *rule
}

// A resource is a schema with its own address, and the anchors in it.
type resource struct {
	base    string // its address, without fragment
	root    *rule
	in      *document
	dialect *dialect
	anchors map[string]*rule
	dynamic map[string]*rule // the dynamic ones of them
}

// A document is a JSON text that contains schemas.
type document struct {
	value   any
	rules   map[string]*rule // by JSON pointer
	builtIn bool             // shared by all schemas, so nothing is added
}

// sameValue returns the rules that apply to the same value as r. $dynamicRef and $recursiveRef
// are not among them, since their targets depend on the dynamic scope.
func (r *rule) sameValue() []*rule {
	list := present(r.ref, r.not, r.condition, r.then, r.otherwise)
	list = append(append(append(list, r.allOf...), r.anyOf...), r.oneOf...)
	for _, d := range r.dependents {
		list = append(list, present(d.rule)...)
	}
	return list
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
