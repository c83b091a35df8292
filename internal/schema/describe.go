package schema

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A describer writes the messages of findings: what was expected, and the actual value.
type describer struct {
	value func(at []string) any // returns the faulty value
	depth int                   // of enclosing anyOf and oneOf
}

// faults describes findings, sorted and without duplicates.
func (d describer) faults(found []finding) []Fault {
	if len(found) == 0 {
		return nil
	}
	faults := make([]Fault, len(found))
	for i, f := range found {
		faults[i] = Fault{At: f.at, Keyword: f.keyword, Message: d.message(f)}
	}
	sort.Slice(faults, func(i, j int) bool { return faults[i].compare(faults[j]) < 0 })
	return slices.CompactFunc(faults, func(f, g Fault) bool { return f.compare(g) == 0 })
}

func (d describer) message(f finding) string {
	got := d.value(f.at)
	switch f.keyword {
	case "type":
		types := slices.Sorted(slices.Values(f.want.([]string)))
		return expected(strings.Join(types, " or "), actualTyped(got))
	case "enum":
		return expected(oneOf(f.want.([]any)), actual(got))
	case "const":
		return expected(show(f.want), actual(got))

	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return expected(bounds[f.keyword]+show(f.want), actual(got))

	case "minLength", "maxLength":
		return expected(bounds[f.keyword]+count(f.want, "character"), show(size(got))+": "+actual(got))
	case "pattern":
		return expected("a match of the pattern "+clip(f.want.(string)), actual(got))
	case "format":
		return expected("the format "+f.want.(string), actual(got))

	case "minItems", "maxItems":
		return expected(bounds[f.keyword]+count(f.want, "item"), show(size(got)))
	case "additionalItems":
		return expected("at most "+count(size(got)-f.want.(int), "item"), show(size(got)))
	case "uniqueItems":
		same := f.want.([2]int)
		return fmt.Sprintf("expected distinct items, got equal ones at %d and %d", same[0], same[1])
	case "contains", "minContains", "maxContains":
		return contains(f)

	case "minProperties", "maxProperties":
		return expected(bounds[f.keyword]+count(f.want, "property"), show(size(got)))
	case "required":
		return "missing required property " + show(f.want)
	case "dependencies", "dependentRequired":
		names := f.want.([2]string)
		return fmt.Sprintf("missing property %s, which %s requires", show(names[0]), show(names[1]))
	case "additionalProperties":
		return "unexpected property " + show(last(f.at)) + allowed(f.want.([]string))
	case "propertyNames":
		return d.name(f)

	case "anyOf", "oneOf":
		if fitting, ok := f.want.([]int); ok {
			return fmt.Sprintf("matches alternatives %d and %d, expected exactly one to match", fitting[0]+1, fitting[1]+1)
		}
		return d.alternatives(f)
	case "not":
		return expected("nothing that matches "+show(f.want), actual(got))
	case "false":
		return d.falseSchema(f)
	case "$ref":
		return "cannot be validated: the schema refers to itself endlessly"
	}
	return "does not meet " + f.keyword
}

// bounds are what the keywords expect that bound a number or a size.
var bounds = map[string]string{
	"minimum": "at least ", "minLength": "at least ", "minItems": "at least ", "minProperties": "at least ",
	"maximum": "at most ", "maxLength": "at most ", "maxItems": "at most ", "maxProperties": "at most ",
	"minContains": "at least ", "maxContains": "at most ",
	"exclusiveMinimum": "more than ", "exclusiveMaximum": "less than ", "multipleOf": "a multiple of ",
}

func expected(want, got string) string {
	return "expected " + want + ", got " + got
}

func oneOf(values []any) string {
	switch len(values) {
	case 0:
		return "nothing, since enum is empty"
	case 1:
		return show(values[0])
	}
	return "one of " + list(values, show)
}

func allowed(names []string) string {
	if len(names) == 0 {
		return ", none is allowed here"
	}
	return ", allowed: " + list(names, func(name string) string { return name })
}

func contains(f finding) string {
	want := f.want.(*containing)
	matching := " matching " + show(want.schema)
	if f.keyword == "contains" {
		return expected("an item"+matching, "none")
	}
	return expected(bounds[f.keyword]+count(want.limit, "item")+matching, show(want.got))
}

// name describes a faulty property name, which is validated like a string but is not a
// value of the document.
func (d describer) name(f finding) string {
	name := f.want.(string)
	d.value = func([]string) any { return name }
	why := list(d.faults(f.branches[0]), func(fault Fault) string { return fault.Message })
	return "property name " + show(name) + " is not allowed: " + why
}

// falseSchema describes a value for which the schema is false. The keyword of the enclosing
// array or object shows best what is wrong.
func (d describer) falseSchema(f finding) string {
	if len(f.at) > 0 {
		switch d.value(f.at[:len(f.at)-1]).(type) {
		case map[string]any:
			return "unexpected property " + show(last(f.at))
		case []any:
			return "unexpected item"
		}
	}
	return "no value is allowed here, got " + actual(d.value(f.at))
}

// How many details of alternatives are shown if none of them matches.
const (
	shownBranches = 5 // alternatives
	shownFaults   = 3 // faults of each alternative
	shownDepth    = 2 // levels of nested alternatives
	shownWhy      = 1_000
)

func (d describer) alternatives(f finding) string {
	message := "matches none of the " + count(f.total, "alternative")
	if d.depth++; d.depth > shownDepth {
		return message
	}
	var why strings.Builder
	for i, found := range f.branches[:min(len(f.branches), shownBranches)] {
		if i > 0 {
			why.WriteString("; ")
		}
		fmt.Fprintf(&why, "(%d) %s", i+1, d.branch(f, found))
	}
	if more := f.total - shownBranches; more > 0 {
		fmt.Fprintf(&why, "; and %d more", more)
	}
	if cut := cutAt(why.String(), shownWhy); len(cut) < why.Len() {
		return message + ": " + cut + "…"
	}
	return message + ": " + why.String()
}

// branch describes why one alternative of f does not match.
func (d describer) branch(f finding, found []finding) string {
	faults := d.faults(found)
	var out strings.Builder
	for i, fault := range faults[:min(len(faults), shownFaults)] {
		if i > 0 {
			out.WriteString(" and ")
		}
		if slices.Equal(fault.At, f.at) {
			fault.At = nil // obvious
		}
		out.WriteString(fault.String())
	}
	if more := len(faults) - shownFaults; more > 0 {
		fmt.Fprintf(&out, " and %d more", more)
	}
	return out.String()
}

func last(tokens []string) string { return tokens[len(tokens)-1] }
