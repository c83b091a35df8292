package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// evaluate validates a value by a rule. It ends when the limit of steps is reached or ctx has ended, and
// returns the cause.
func evaluate(ctx context.Context, e evaluation, r *rule, v any) (found []finding, err error) {
	e.ctx, e.found = ctx, &found
	defer func() {
		switch p := recover().(type) {
		case nil:
		case ended:
			err = p.cause
		default:
			panic(p)
		}
	}()
	e.evaluate(r, v, nil)
	return found, nil
}

// An evaluation is the evaluation of one value by rules. A step is the evaluation of a rule, a
// comparison, or the matching of textPerStep bytes by a pattern.
type evaluation struct {
	ctx    context.Context
	limit  int // of steps
	steps  int
	values int   // in the document, for the message
	meta   *rule // the metaschema while a schema is validated, else nil

	place  []token
	scopes []*resource // outermost first
	chain  []*rule     // rules being evaluated
	base   int         // index in chain of the first rule of the current value

	faults   int
	found    *[]finding
	branch   int  // number of enclosing anyOf, oneOf and propertyNames
	quiet    bool // the faults are not needed
	matching time.Duration
}

// A token is part of the JSON pointer to the current value: a name, or an index in an array.
type token struct {
	name  string
	index int
	array bool
}

// ended is the panic value that ends an evaluation.
type ended struct{ cause error }

// errWork is the cause when the limit of steps is reached.
var errWork = errors.New("too much work")

func (e *evaluation) spend(steps int) {
	before := e.steps
	if e.steps += steps; e.steps > e.limit {
		panic(ended{fmt.Errorf("%w: validating %d values takes more than %d steps; "+
			"pass fewer values, or simplify the schema", errWork, e.values, e.limit)})
	}
	if before/stepsPerCheck != e.steps/stepsPerCheck {
		e.checkContext()
	}
}

func (e *evaluation) step() { e.spend(1) }

// checkContext ends the evaluation if its context has ended.
func (e *evaluation) checkContext() {
	if err := contextErr(e.ctx); err != nil {
		panic(ended{err})
	}
}

// contextErr returns the error for a context that has ended, nil if it has not.
func contextErr(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("not validated: %w", context.Cause(ctx))
}

// fault records a fault of the current value.
func (e *evaluation) fault(keyword string, want any) {
	e.report(finding{keyword: keyword, want: want})
}

func (e *evaluation) report(f finding, below ...string) {
	e.faults++
	if e.quiet || e.branch > 0 && len(*e.found) >= maxBranchFaults {
		return
	}
	f.at = make([]string, 0, len(e.place)+len(below))
	for _, t := range e.place {
		if t.array {
			t.name = strconv.Itoa(t.index)
		}
		f.at = append(f.at, t.name)
	}
	f.at = append(f.at, below...)
	*e.found = append(*e.found, f)
	if e.branch == 0 && len(*e.found) >= maxFaults {
		panic(ended{})
	}
}

// evaluate validates v by r. The members and items of v that r, and the rules that it refers to, have
// evaluated are added to seen, unless it is nil.
func (e *evaluation) evaluate(r *rule, v any, seen *evaluated) {
	e.spend(1)
	if r.source == nil {
		if r.never {
			e.fault("false", nil)
		}
		return
	}
	meta := e.meta
	if r == meta {
		e.meta = metaOf(meta, v)
		r = e.meta
	}
	if slices.Contains(e.chain[e.base:], r) {
		e.fault("$ref", nil)
		return
	}
	if len(e.chain) > maxChain {
		panic(ended{fmt.Errorf("%w: the schema applies more than %d nested schemas in a row", errWork, maxChain)})
	}
	e.chain = append(e.chain, r)
	e.scopes = append(e.scopes, r.home)
	e.keywords(r, v, seen)
	e.chain = e.chain[:len(e.chain)-1]
	e.scopes = e.scopes[:len(e.scopes)-1]
	e.meta = meta
}

func (e *evaluation) keywords(r *rule, v any, seen *evaluated) {
	before := e.faults
	if r.replaced {
		e.same(r.ref, v, seen)
		return
	}
	if seen == nil && (r.unevaluatedItems != nil || r.unevaluatedProperties != nil) {
		seen = &evaluated{}
	}
	// After one of these, further faults would only be noise.
	switch {
	case r.types != 0 && r.types&kindOf(v) == 0:
		e.fault("type", r.typeNames)
		return
	case r.constant != nil && !r.constant.has(v, e.step):
		e.fault("const", r.source["const"])
		return
	case r.enum != nil && !r.enum.has(v, e.step):
		e.fault("enum", r.source["enum"])
		return
	}
	if r.ref != nil {
		e.same(r.ref, v, seen)
	}
	e.dynamic(r, v, seen)
	switch v := v.(type) {
	case map[string]any:
		e.object(r, v, seen)
	case []any:
		e.array(r, v, seen)
	case string:
		e.text(r, v)
	default:
		e.number(r, v)
	}
	if e.quiet && e.faults > before {
		return
	}
	e.choices(r, v, seen)
	e.unevaluated(r, v, seen)
}

// same validates v by another rule, and reports whether it conforms.
func (e *evaluation) same(r *rule, v any, seen *evaluated) bool {
	before := e.faults
	if seen == nil {
		e.evaluate(r, v, nil)
		return e.faults == before
	}
	var own evaluated
	e.evaluate(r, v, &own)
	if e.faults != before {
		return false
	}
	seen.add(&own)
	return true
}

// fits reports whether v conforms to r, without recording faults.
func (e *evaluation) fits(r *rule, v any, seen *evaluated) bool {
	before, quiet := e.faults, e.quiet
	e.quiet = true
	ok := e.same(r, v, seen)
	e.faults, e.quiet = before, quiet
	return ok
}

// attempt is like fits, and returns the faults, which the caller may report.
func (e *evaluation) attempt(r *rule, v any, seen *evaluated) (found []finding, ok bool) {
	before, into := e.faults, e.found
	e.found = &found
	e.branch++
	ok = e.same(r, v, seen)
	e.branch--
	e.faults, e.found = before, into
	return found, ok
}

// below validates a member or an item.
func (e *evaluation) below(r *rule, v any, t token) {
	if r == nil {
		return
	}
	base := e.base
	e.base = len(e.chain)
	e.place = append(e.place, t)
	e.evaluate(r, v, nil)
	e.place = e.place[:len(e.place)-1]
	e.base = base
}

// dynamic follows the references whose target depends on the dynamic scope.
func (e *evaluation) dynamic(r *rule, v any, seen *evaluated) {
	if target := r.recursiveRef; target != nil {
		if target.recursiveAnchor {
			for i := len(e.scopes) - 1; i >= 0; i-- {
				if root := e.scopes[i].root; root.recursiveAnchor {
					target = root
				}
			}
		}
		e.same(target, v, seen)
	}
	if target := r.dynamicRef; target != nil {
		if r.dynamicName != "" && target.dynamicAnchor == r.dynamicName {
			for _, scope := range e.scopes {
				if outer := scope.dynamic[r.dynamicName]; outer != nil {
					target = outer
					break
				}
			}
		}
		e.same(target, v, seen)
	}
}

func (e *evaluation) choices(r *rule, v any, seen *evaluated) {
	if r.not != nil && e.fits(r.not, v, seen) {
		e.fault("not", r.source["not"])
	}
	for _, t := range r.allOf {
		if !e.same(t, v, seen) && e.quiet {
			return
		}
	}
	if len(r.anyOf) > 0 {
		e.alternatives("anyOf", r.anyOf, v, seen)
	}
	if len(r.oneOf) > 0 {
		e.alternatives("oneOf", r.oneOf, v, seen)
	}
	if r.condition == nil {
		return
	}
	then := r.otherwise
	if e.fits(r.condition, v, seen) {
		then = r.then
	}
	if then != nil {
		e.same(then, v, seen)
	}
}

// alternatives validates v by anyOf or oneOf. The faults of the first few are recorded, until one fits.
func (e *evaluation) alternatives(keyword string, all []*rule, v any, seen *evaluated) {
	var branches [][]finding
	first := -1 // that fits
	for i, r := range all {
		var found []finding
		var fits bool
		if e.quiet || first >= 0 || len(branches) == shownBranches {
			fits = e.fits(r, v, seen)
		} else if found, fits = e.attempt(r, v, seen); !fits {
			branches = append(branches, found)
		}
		switch {
		case !fits:
		case keyword == "anyOf" && seen == nil:
			return
		case keyword == "oneOf" && first >= 0:
			e.fault(keyword, []int{first, i})
			return
		default:
			first = i
		}
	}
	if first < 0 {
		e.report(finding{keyword: keyword, branches: branches, total: len(all)})
	}
}
