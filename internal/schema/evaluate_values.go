package schema

import (
	"encoding/json"
	"math/big"
	"time"
	"unicode/utf8"
)

func (e *evaluation) text(r *rule, text string) {
	if r.minLength != nil || r.maxLength != nil {
		e.between(r, "minLength", r.minLength, "maxLength", r.maxLength, count64(utf8.RuneCountInString(text)))
	}
	if r.pattern != nil && !e.match(r.pattern, text) {
		e.fault("pattern", r.pattern.source)
	}
	if e.meta != nil && r.format != "" && !hasFormat(r.format, text) {
		e.fault("format", r.format)
	}
}

func (e *evaluation) number(r *rule, v any) {
	written, ok := v.(json.Number)
	if !ok || r.minimum == nil && r.maximum == nil && r.above == nil && r.below == nil && r.multipleOf == nil {
		return
	}
	n := readNumber(written)
	e.between(r, "minimum", r.minimum, "maximum", r.maximum, n)
	if r.above != nil && n.Cmp(r.above) <= 0 {
		e.fault("exclusiveMinimum", r.written("exclusiveMinimum", "minimum"))
	}
	if r.below != nil && n.Cmp(r.below) >= 0 {
		e.fault("exclusiveMaximum", r.written("exclusiveMaximum", "maximum"))
	}
	if r.multipleOf != nil && (r.multipleOf.Sign() == 0 || !new(big.Rat).Quo(n, r.multipleOf).IsInt()) {
		e.fault("multipleOf", r.source["multipleOf"])
	}
}

// written returns the limit of a keyword, which in draft-04 is the value of another keyword.
func (r *rule) written(keyword, draft4 string) any {
	if r.source[keyword] == true {
		return r.source[draft4]
	}
	return r.source[keyword]
}

// between checks a number against the limits of two keywords; nil is none.
func (e *evaluation) between(r *rule, min string, least *big.Rat, max string, most, n *big.Rat) {
	if least != nil && n.Cmp(least) < 0 {
		e.fault(min, r.source[min])
	}
	if most != nil && n.Cmp(most) > 0 {
		e.fault(max, r.source[max])
	}
}

func count64(n int) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }

// match matches a text. It counts the text as steps, and also the time, which the steps cannot
// predict for backtracking patterns.
func (e *evaluation) match(p *pattern, text string) bool {
	e.spend(1 + len(text)/textPerStep)
	begun := time.Now()
	ok, err := p.match(e.ctx, text, maxMatching-e.matching)
	if err != nil {
		panic(ended{err})
	}
	if e.matching += time.Since(begun); e.matching > maxMatching {
		panic(ended{slowPattern{p.source}})
	}
	return ok
}

func (e *evaluation) object(r *rule, object map[string]any, seen *evaluated) {
	before := e.faults
	e.between(r, "minProperties", r.minProperties, "maxProperties", r.maxProperties, count64(len(object)))
	for _, name := range r.required {
		if _, ok := object[name]; !ok {
			e.fault("required", name)
		}
	}
	for i := range r.dependents {
		e.dependent(&r.dependents[i], object, seen)
	}
	if seen == nil && r.properties == nil && r.patterns == nil && r.additional == nil && r.propertyNames == nil {
		return
	}
	for name, member := range object {
		if e.quiet && e.faults > before {
			return
		}
		if e.member(r, name, member) && seen != nil {
			seen.member(name)
		}
		if r.propertyNames != nil {
			e.name(r.propertyNames, name)
		}
	}
}

// member validates one member by the keywords of r that apply to its name, if any.
func (e *evaluation) member(r *rule, name string, member any) (evaluated bool) {
	t, evaluated := r.properties[name]
	e.below(t, member, token{name: name})
	for _, p := range r.patterns {
		if e.match(p.names, name) {
			evaluated = true
			e.below(p.rule, member, token{name: name})
		}
	}
	if evaluated || r.additional == nil {
		return evaluated
	}
	if r.noMoreProperties {
		e.report(finding{keyword: "additionalProperties", want: r.allowed}, name)
	} else {
		e.below(r.additional, member, token{name: name})
	}
	return true
}

// name validates the name of a member, which is not a value of the document.
func (e *evaluation) name(r *rule, name string) {
	base := e.base
	e.base = len(e.chain)
	found, ok := e.attempt(r, name, nil)
	e.base = base
	if !ok {
		e.report(finding{keyword: "propertyNames", want: name, branches: [][]finding{found}})
	}
}

func (e *evaluation) dependent(d *dependent, object map[string]any, seen *evaluated) {
	if _, ok := object[d.property]; !ok {
		return
	}
	if d.rule != nil {
		e.same(d.rule, object, seen)
	}
	for _, name := range d.required {
		if _, ok := object[name]; !ok {
			e.fault(d.keyword, [2]string{name, d.property})
		}
	}
}

func (e *evaluation) array(r *rule, items []any, seen *evaluated) {
	before := e.faults
	e.between(r, "minItems", r.minItems, "maxItems", r.maxItems, count64(len(items)))
	if r.unique {
		e.distinct(items)
	}
	for i, item := range items {
		if e.quiet && e.faults > before {
			return
		}
		if i < len(r.prefix) {
			e.below(r.prefix[i], item, token{index: i, array: true})
		} else if r.items == nil || r.noMoreItems {
			break
		} else {
			e.below(r.items, item, token{index: i, array: true})
		}
	}
	if r.noMoreItems && len(items) > len(r.prefix) {
		e.fault("additionalItems", len(items)-len(r.prefix))
	}
	if seen != nil {
		seen.upTo = max(seen.upTo, min(len(r.prefix), len(items)))
		if r.items != nil {
			seen.upTo = len(items)
		}
	}
	if r.contains != nil {
		e.contains(r, items, seen)
	}
}

func (e *evaluation) distinct(items []any) {
	places := make(map[string]int, len(items))
	step := func() { e.spend(stepsToCompare) }
	for i, item := range items {
		key := keyOf(item, step)
		if first, ok := places[key]; ok {
			e.fault("uniqueItems", [2]int{first, i})
			return
		}
		places[key] = i
	}
}

func (e *evaluation) contains(r *rule, items []any, seen *evaluated) {
	fitting := 0
	base := e.base
	for i, item := range items {
		e.base = len(e.chain)
		if e.fits(r.contains, item, nil) {
			fitting++
			if r.containsCounts && seen != nil {
				seen.item(i)
			}
		}
		e.base = base
	}
	got := count64(fitting)
	fault := func(keyword string) {
		e.fault(keyword, &containing{r.source["contains"], r.source[keyword], fitting})
	}
	switch {
	case r.minContains == nil && fitting == 0:
		fault("contains")
	case r.minContains != nil && got.Cmp(r.minContains) < 0:
		fault("minContains")
	}
	if r.maxContains != nil && got.Cmp(r.maxContains) > 0 {
		fault("maxContains")
	}
}

// evaluated is the set of members or items of a value that rules have evaluated.
type evaluated struct {
	names map[string]struct{}
	upTo  int // items
	items map[int]struct{}
}

func (e *evaluated) member(name string) {
	if e.names == nil {
		e.names = map[string]struct{}{}
	}
	e.names[name] = struct{}{}
}

func (e *evaluated) item(i int) {
	if e.items == nil {
		e.items = map[int]struct{}{}
	}
	e.items[i] = struct{}{}
}

func (e *evaluated) add(other *evaluated) {
	for name := range other.names {
		e.member(name)
	}
	for i := range other.items {
		e.item(i)
	}
	e.upTo = max(e.upTo, other.upTo)
}

// unevaluated validates the members or items that no other rule has evaluated.
func (e *evaluation) unevaluated(r *rule, v any, seen *evaluated) {
	switch v := v.(type) {
	case map[string]any:
		if r.unevaluatedProperties == nil {
			return
		}
		for name, member := range v {
			if _, ok := seen.names[name]; !ok {
				e.below(r.unevaluatedProperties, member, token{name: name})
				seen.member(name)
			}
		}
	case []any:
		if r.unevaluatedItems == nil {
			return
		}
		for i := seen.upTo; i < len(v); i++ {
			if _, ok := seen.items[i]; !ok {
				e.below(r.unevaluatedItems, v[i], token{index: i, array: true})
			}
		}
		seen.upTo = len(v)
	}
}
