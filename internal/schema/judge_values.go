package schema

import (
	"encoding/json"
	"time"
	"unicode/utf8"
)

func (j *judging) text(r *rule, text string) {
	if r.minLength != nil || r.maxLength != nil {
		length := count64(utf8.RuneCountInString(text))
		j.least("minLength", r, r.minLength, length)
		j.most("maxLength", r, r.maxLength, length)
	}
	if r.pattern != nil && !j.match(r.pattern, text) {
		j.fault("pattern", r.pattern.source)
	}
	if j.meta != nil && r.format != "" && !hasFormat(r.format, text) {
		j.fault("format", r.format)
	}
}

func (j *judging) number(r *rule, v any) {
	written, ok := v.(json.Number)
	if !ok || r.minimum == nil && r.maximum == nil && r.above == nil && r.below == nil && r.multipleOf == nil {
		return
	}
	n := readNumber(written)
	j.least("minimum", r, r.minimum, n)
	j.most("maximum", r, r.maximum, n)
	if r.above != nil && n.compare(*r.above) <= 0 {
		j.fault("exclusiveMinimum", r.written("exclusiveMinimum", "minimum"))
	}
	if r.below != nil && n.compare(*r.below) >= 0 {
		j.fault("exclusiveMaximum", r.written("exclusiveMaximum", "maximum"))
	}
	if r.multipleOf != nil && !n.isMultipleOf(*r.multipleOf) {
		j.fault("multipleOf", r.source["multipleOf"])
	}
}

// written returns the limit of a keyword, which in draft-04 is under another one.
func (r *rule) written(keyword, draft4 string) any {
	if r.source[keyword] == true {
		return r.source[draft4]
	}
	return r.source[keyword]
}

func (j *judging) least(keyword string, r *rule, limit *number, n number) {
	if limit != nil && n.compare(*limit) < 0 {
		j.fault(keyword, r.source[keyword])
	}
}

func (j *judging) most(keyword string, r *rule, limit *number, n number) {
	if limit != nil && n.compare(*limit) > 0 {
		j.fault(keyword, r.source[keyword])
	}
}

func count64(n int) number { return number{small: int64(n)} }

// match counts the text as steps, and the time of the match for what no count of steps
// foresees.
func (j *judging) match(p *pattern, text string) bool {
	j.spend(1 + len(text)/textPerStep)
	begun := time.Now()
	ok, err := p.match(j.ctx, text, maxMatching-j.matching)
	if err != nil {
		panic(ended{err})
	}
	if j.matching += time.Since(begun); j.matching > maxMatching {
		panic(ended{slowPattern{p.source}})
	}
	return ok
}

func (j *judging) object(r *rule, object map[string]any, seen *evaluated) {
	before := j.faults
	size := count64(len(object))
	j.least("minProperties", r, r.minProperties, size)
	j.most("maxProperties", r, r.maxProperties, size)
	for _, name := range r.required {
		if _, ok := object[name]; !ok {
			j.fault("required", name)
		}
	}
	for i := range r.dependents {
		j.dependent(&r.dependents[i], object, seen)
	}
	if seen == nil && r.properties == nil && r.patterns == nil && r.additional == nil && r.propertyNames == nil {
		return
	}
	for name, member := range object {
		if j.quiet && j.faults > before {
			return
		}
		if j.member(r, name, member) && seen != nil {
			seen.member(name)
		}
		if r.propertyNames != nil {
			j.name(r.propertyNames, name)
		}
	}
}

// member judges one member by what r says of its name, if it says anything.
func (j *judging) member(r *rule, name string, member any) (evaluated bool) {
	t, evaluated := r.properties[name]
	j.below(t, member, token{name: name})
	for _, p := range r.patterns {
		if j.match(p.names, name) {
			evaluated = true
			j.below(p.rule, member, token{name: name})
		}
	}
	if evaluated || r.additional == nil {
		return evaluated
	}
	if r.noMoreProperties {
		j.report(finding{keyword: "additionalProperties", want: r.allowed}, name)
	} else {
		j.below(r.additional, member, token{name: name})
	}
	return true
}

// name judges the name of a member, which is not a value of the document.
func (j *judging) name(r *rule, name string) {
	base := j.base
	j.base = len(j.chain)
	found, ok := j.attempt(r, name, nil)
	j.base = base
	if !ok {
		j.report(finding{keyword: "propertyNames", want: name, branches: [][]finding{found}})
	}
}

func (j *judging) dependent(d *dependent, object map[string]any, seen *evaluated) {
	if _, ok := object[d.property]; !ok {
		return
	}
	if d.rule != nil {
		j.same(d.rule, object, seen)
	}
	for _, name := range d.required {
		if _, ok := object[name]; !ok {
			j.fault(d.keyword, [2]string{name, d.property})
		}
	}
}

func (j *judging) array(r *rule, items []any, seen *evaluated) {
	before := j.faults
	size := count64(len(items))
	j.least("minItems", r, r.minItems, size)
	j.most("maxItems", r, r.maxItems, size)
	if r.unique {
		j.distinct(items)
	}
	for i, item := range items {
		if j.quiet && j.faults > before {
			return
		}
		if i < len(r.prefix) {
			j.below(r.prefix[i], item, token{index: i, array: true})
		} else if r.items == nil || r.noMoreItems {
			break
		} else {
			j.below(r.items, item, token{index: i, array: true})
		}
	}
	if r.noMoreItems && len(items) > len(r.prefix) {
		j.fault("additionalItems", len(items)-len(r.prefix))
	}
	if seen != nil {
		seen.upTo = max(seen.upTo, min(len(r.prefix), len(items)))
		if r.items != nil {
			seen.upTo = len(items)
		}
	}
	if r.contains != nil {
		j.contains(r, items, seen)
	}
}

func (j *judging) distinct(items []any) {
	places := make(map[string]int, len(items))
	step := func() { j.spend(stepsToCompare) }
	for i, item := range items {
		key := keyOf(item, step)
		if first, ok := places[key]; ok {
			j.fault("uniqueItems", [2]int{first, i})
			return
		}
		places[key] = i
	}
}

func (j *judging) contains(r *rule, items []any, seen *evaluated) {
	fitting := 0
	base := j.base
	for i, item := range items {
		j.base = len(j.chain)
		if j.fits(r.contains, item, nil) {
			fitting++
			if r.containsCounts && seen != nil {
				seen.item(i)
			}
		}
		j.base = base
	}
	got := count64(fitting)
	want := &containing{schema: r.source["contains"], got: fitting}
	switch {
	case r.minContains == nil && fitting == 0:
		j.fault("contains", want)
	case r.minContains != nil && got.compare(*r.minContains) < 0:
		want.limit = r.source["minContains"]
		j.fault("minContains", want)
	}
	if r.maxContains != nil && got.compare(*r.maxContains) > 0 {
		j.fault("maxContains", &containing{r.source["contains"], r.source["maxContains"], fitting})
	}
}

// evaluated is which members or items of a value some rule has looked at.
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

// unevaluated judges what no other rule has looked at.
func (j *judging) unevaluated(r *rule, v any, seen *evaluated) {
	switch v := v.(type) {
	case map[string]any:
		if r.unevaluatedProperties == nil {
			return
		}
		for name, member := range v {
			if _, ok := seen.names[name]; !ok {
				j.below(r.unevaluatedProperties, member, token{name: name})
				seen.member(name)
			}
		}
	case []any:
		if r.unevaluatedItems == nil {
			return
		}
		for i := seen.upTo; i < len(v); i++ {
			if _, ok := seen.items[i]; !ok {
				j.below(r.unevaluatedItems, v[i], token{index: i, array: true})
			}
		}
		seen.upTo = len(v)
	}
}
