package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strconv"
)

// rootURL is the base URL of the schema for references. It cannot be fetched.
const rootURL = "mem:///schema"

// A reading converts a document, and those that it refers to, into rules.
type reading struct {
	resources map[string]*resource
	patterns  map[string]*pattern
	load      loader // nil if no documents may be loaded
	builtIn   bool   // the metaschemas themselves are read
	pending   []reference
}

// A loader returns the document at a URL of a reference.
type loader func(url string) (any, error)

// A reference is a $ref, $dynamicRef or $recursiveRef that is not resolved yet.
type reference struct {
	from    *rule
	keyword string
	text    string
	target  **rule
}

// document reads the schema at an address.
func (r *reading) document(address string, value any, d *dialect) (*rule, error) {
	if object, ok := value.(map[string]any); ok {
		if uri, ok := object["$schema"].(string); ok {
			if err := checkDialect(uri); err != nil {
				return nil, &Error{"/$schema", err}
			}
			d = dialectOf(uri)
		}
	}
	if !r.builtIn && !sound(value) {
		if err := checkSchema(value, "", d); err != nil {
			return nil, err
		}
	}
	doc := &document{value: value, rules: map[string]*rule{}, builtIn: r.builtIn}
	home := newResource(address, doc, d)
	r.resources[address] = home
	return r.rule(value, "", home)
}

func newResource(base string, in *document, d *dialect) *resource {
	return &resource{base: base, in: in, dialect: d, anchors: map[string]*rule{}, dynamic: map[string]*rule{}}
}

// rule reads the schema at a place of its document, with its subschemas.
func (r *reading) rule(value any, at string, home *resource) (*rule, error) {
	if known := home.in.rules[at]; known != nil {
		return known, nil
	}
	if len(home.in.rules) == maxSubschemas {
		return nil, fmt.Errorf("the schema contains more than %d schemas", maxSubschemas)
	}
	s := &rule{at: at, home: home}
	home.in.rules[at] = s
	if home.root == nil {
		home.root = s
	}
	object, ok := value.(map[string]any)
	if !ok {
		s.never = value == false
		return s, nil
	}
	s.source = object
	if uri, ok := object["$schema"].(string); ok {
		if err := checkDialect(uri); err != nil {
			return nil, &Error{at + "/$schema", err}
		}
	}
	if err := r.identify(s); err != nil {
		return nil, err
	}
	k := keywords{reading: r, rule: s, year: s.home.dialect.year}
	k.read()
	return s, k.err
}

// identify registers the address of a schema and its anchors.
func (r *reading) identify(s *rule) error {
	d := s.home.dialect
	if s.at != "" {
		d = d.embedded(s.source)
	}
	address, anchor := d.ownAddress(s.source)
	if address != "" {
		base, err := join(s.home.base, address)
		if err != nil {
			return &Error{s.at + "/" + d.id, fmt.Errorf("%s is not an address", show(address))}
		}
		if s.at == "" {
			s.home.base = base
			r.resources[base] = s.home
		} else if own := r.resources[base]; own == nil {
			s.home = newResource(base, s.home.in, d)
			s.home.root = s
			r.resources[base] = s.home
		} else if own.root != s && own.root != nil {
			return &Error{s.at + "/" + d.id,
				fmt.Errorf("duplicate address %s, the schema at %q has it too", show(address), own.root.at)}
		}
	}
	if _, replaced := s.source["$ref"]; d.year < 2019 {
		if anchor == "" || replaced {
			return nil
		}
		return s.home.name(anchor, s, d.id)
	}
	if anchor, ok := s.source["$anchor"].(string); ok {
		if err := s.home.name(anchor, s, "$anchor"); err != nil {
			return err
		}
	}
	s.recursiveAnchor = s.source["$recursiveAnchor"] == true
	if anchor, ok := s.source["$dynamicAnchor"].(string); ok && d.year >= 2020 {
		s.dynamicAnchor = anchor
		s.home.dynamic[anchor] = s
		return s.home.name(anchor, s, "$dynamicAnchor")
	}
	return nil
}

func (res *resource) name(anchor string, s *rule, keyword string) error {
	if other := res.anchors[anchor]; other != nil && other != s {
		return &Error{s.at + "/" + keyword,
			fmt.Errorf("duplicate anchor %s, the schema at %q has it too", show(anchor), other.at)}
	}
	res.anchors[anchor] = s
	return nil
}

func join(base, reference string) (string, error) {
	parsed, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	joined, err := parsed.Parse(reference)
	if err != nil {
		return "", err
	}
	joined.Fragment, joined.RawFragment = "", ""
	return joined.String(), nil
}

// keywords reads the keywords of one schema. It ignores values of a wrong type: the metaschema
// has refused them, or its dialect does not have the keyword.
type keywords struct {
	*reading
	rule *rule
	year int
	err  error
}

func (k *keywords) read() {
	s := k.rule
	k.reference("$ref", &s.ref)
	_, s.replaced = s.source["$ref"].(string)
	s.replaced = s.replaced && k.year < 2019
	s.allOf, s.anyOf, s.oneOf = k.list("allOf"), k.list("anyOf"), k.list("oneOf")
	s.not = k.schema("not")
	k.assertions()
	k.arrays()
	k.objects()
	for _, keyword := range [...]string{"$defs", "definitions"} {
		k.named(keyword)
	}
	if k.year >= 7 {
		then, otherwise := k.schema("then"), k.schema("else") // they may be targets of references
		if s.condition = k.schema("if"); s.condition != nil {
			s.then, s.otherwise = then, otherwise
		}
	}
	if k.year >= 2019 {
		k.reference("$recursiveRef", &s.recursiveRef)
		s.unevaluatedItems, s.unevaluatedProperties = k.schema("unevaluatedItems"), k.schema("unevaluatedProperties")
		k.schema("contentSchema")
	}
	if k.year >= 2020 {
		k.reference("$dynamicRef", &s.dynamicRef)
	}
}

func (k *keywords) assertions() {
	s := k.rule
	switch types := s.source["type"].(type) {
	case string:
		s.typeNames = []string{types}
	default:
		s.typeNames = texts(types)
	}
	for _, name := range s.typeNames {
		s.types |= kindNames[name]
	}
	if values, ok := s.source["enum"].([]any); ok {
		s.enum = newValueSet(values...)
	}
	if value, ok := s.source["const"]; ok && k.year >= 6 {
		s.constant = newValueSet(value)
	}
	s.minimum, s.maximum, s.multipleOf = k.number("minimum"), k.number("maximum"), k.number("multipleOf")
	s.above, s.below = k.number("exclusiveMinimum"), k.number("exclusiveMaximum")
	if s.source["exclusiveMinimum"] == true { // of draft-04
		s.above, s.minimum = s.minimum, nil
	}
	if s.source["exclusiveMaximum"] == true {
		s.below, s.maximum = s.maximum, nil
	}
	s.minLength, s.maxLength = k.number("minLength"), k.number("maxLength")
	s.format, _ = s.source["format"].(string)
	if source, ok := s.source["pattern"].(string); ok {
		s.pattern = k.compiled(source, "/pattern")
	}
}

func (k *keywords) arrays() {
	s := k.rule
	s.minItems, s.maxItems = k.number("minItems"), k.number("maxItems")
	s.unique = s.source["uniqueItems"] == true
	if k.year >= 6 {
		s.contains = k.schema("contains")
	}
	if k.year >= 2019 {
		s.minContains, s.maxContains = k.number("minContains"), k.number("maxContains")
	}
	s.containsCounts = k.year >= 2020
	if k.year >= 2020 {
		s.prefix, s.items = k.list("prefixItems"), k.schema("items")
		return
	}
	if _, several := s.source["items"].([]any); !several {
		s.items = k.schema("items")
		k.schema("additionalItems")
		return
	}
	s.prefix, s.items = k.list("items"), k.schema("additionalItems")
	s.noMoreItems = s.source["additionalItems"] == false
}

func (k *keywords) objects() {
	s := k.rule
	s.minProperties, s.maxProperties = k.number("minProperties"), k.number("maxProperties")
	s.required = texts(s.source["required"])
	s.properties = k.named("properties")
	patterns, _ := s.source["patternProperties"].(map[string]any)
	for _, source := range k.names("patternProperties") {
		at := pointer("patternProperties", source)
		s.patterns = append(s.patterns, namePattern{k.compiled(source, at), k.at(patterns[source], at)})
	}
	s.additional = k.schema("additionalProperties")
	if s.noMoreProperties = s.source["additionalProperties"] == false; s.noMoreProperties {
		s.allowed = allowedProperties(k.names("properties"), k.names("patternProperties"))
	}
	if k.year >= 6 {
		s.propertyNames = k.schema("propertyNames")
	}
	k.dependents("dependencies")
	if k.year >= 2019 {
		k.dependents("dependentRequired")
		k.dependents("dependentSchemas")
	}
}

func (k *keywords) dependents(keyword string) {
	held, _ := k.rule.source[keyword].(map[string]any)
	for _, name := range k.names(keyword) {
		d := dependent{property: name, keyword: keyword}
		if _, names := held[name].([]any); names {
			d.required = texts(held[name])
		} else {
			d.rule = k.at(held[name], pointer(keyword, name))
		}
		k.rule.dependents = append(k.rule.dependents, d)
	}
}

func (k *keywords) at(value any, below string) *rule {
	if k.err != nil {
		return nil
	}
	var s *rule
	s, k.err = k.reading.rule(value, k.rule.at+below, k.rule.home)
	return s
}

func (k *keywords) schema(keyword string) *rule {
	switch value := k.rule.source[keyword].(type) {
	case bool, map[string]any:
		return k.at(value, "/"+keyword)
	}
	return nil
}

func (k *keywords) list(keyword string) []*rule {
	values, _ := k.rule.source[keyword].([]any)
	var list []*rule
	for i, value := range values {
		list = append(list, k.at(value, "/"+keyword+"/"+strconv.Itoa(i)))
	}
	return list
}

func (k *keywords) names(keyword string) []string {
	held, _ := k.rule.source[keyword].(map[string]any)
	return slices.Sorted(maps.Keys(held))
}

func (k *keywords) named(keyword string) map[string]*rule {
	held, ok := k.rule.source[keyword].(map[string]any)
	if !ok {
		return nil
	}
	rules := make(map[string]*rule, len(held))
	for _, name := range k.names(keyword) {
		rules[name] = k.at(held[name], pointer(keyword, name))
	}
	return rules
}

func (k *keywords) number(keyword string) *big.Rat {
	n, ok := k.rule.source[keyword].(json.Number)
	if !ok {
		return nil
	}
	return readNumber(n)
}

func (k *keywords) compiled(source, below string) *pattern {
	p := k.patterns[source]
	if p == nil {
		var err error
		if p, err = compilePattern(source); err != nil && k.err == nil {
			k.err = &Error{k.rule.at + below, err}
		}
		k.patterns[source] = p
	}
	return p
}

func (k *keywords) reference(keyword string, target **rule) {
	if text, ok := k.rule.source[keyword].(string); ok {
		k.pending = append(k.pending, reference{k.rule, keyword, text, target})
	}
}

// texts returns the texts in a list.
func texts(list any) (all []string) {
	values, _ := list.([]any)
	for _, value := range values {
		if text, ok := value.(string); ok {
			all = append(all, text)
		}
	}
	return all
}
