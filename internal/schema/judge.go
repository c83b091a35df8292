package schema

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// exact judges by the rules that a schema was read into: every dialect, every keyword,
// numbers of any size.
type exact struct{ root *rule }

// validate takes numbers as json.Number.
func (e exact) validate(ctx context.Context, doc parsed) (found []finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s failed: %v", exactName, p)
		}
	}()
	limit := min(fewSteps+maxStepsPerValue*doc.values, maxSteps)
	return judge(ctx, judging{limit: limit, values: doc.values}, e.root, doc.value)
}

// judge holds a value against a rule. The judging ends when its limit of steps is
// reached or ctx has ended, and returns the cause.
func judge(ctx context.Context, j judging, r *rule, v any) (found []finding, err error) {
	j.ctx, j.found = ctx, &found
	defer func() {
		switch p := recover().(type) {
		case nil:
		case ended:
			err = p.cause
		default:
			panic(p)
		}
	}()
	j.judge(r, v, nil)
	return found, nil
}

// A judging is one value on its way through the rules. A step is the evaluation of a
// rule, a comparison, or so much text as a pattern reads in the time of one.
type judging struct {
	ctx    context.Context
	limit  int // of steps
	steps  int
	values int   // of the document, for the message
	meta   *rule // the metaschema while a schema is judged, else nil

	place  []token
	scopes []*resource // from the outermost on
	chain  []*rule     // those that are being judged
	base   int         // where in chain those of the value at hand begin

	faults   int
	found    *[]finding
	branch   int  // in so many anyOf, oneOf and propertyNames
	quiet    bool // nobody wants to know what the faults are
	matching time.Duration
}

// A token of the JSON pointer to the value at hand: a name, or an index when below is
// an array.
type token struct {
	name  string
	index int
	array bool
}

// ended is the panic of a judging that cannot go on.
type ended struct{ cause error }

// errWork is the cause of an end because of the steps.
var errWork = errors.New("too much work")

func (j *judging) spend(steps int) {
	before := j.steps
	if j.steps += steps; j.steps > j.limit {
		panic(ended{fmt.Errorf("%w: to judge %d values by this schema takes more than %d steps; pass fewer of them, or make the schema simpler", errWork, j.values, j.limit)})
	}
	if before/stepsPerLook != j.steps/stepsPerLook {
		j.look()
	}
}

func (j *judging) step() { j.spend(1) }

// look ends the judging when its context has ended.
func (j *judging) look() {
	if err := hasEnded(j.ctx); err != nil {
		panic(ended{err})
	}
}

// hasEnded returns why nothing goes on in a context.
func hasEnded(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("not judged: %w", context.Cause(ctx))
}

// fault notes a fault of the value at hand.
func (j *judging) fault(keyword string, want any) {
	j.report(finding{keyword: keyword, want: want})
}

func (j *judging) report(f finding, below ...string) {
	j.faults++
	if j.quiet || j.branch > 0 && len(*j.found) >= maxBranchFaults {
		return
	}
	f.at = make([]string, 0, len(j.place)+len(below))
	for _, t := range j.place {
		if t.array {
			t.name = strconv.Itoa(t.index)
		}
		f.at = append(f.at, t.name)
	}
	f.at = append(f.at, below...)
	*j.found = append(*j.found, f)
	if j.branch == 0 && len(*j.found) >= maxFaults {
		panic(ended{})
	}
}

// judge holds v against r. What r and those that it leads to have looked at of v is
// added to seen, unless it is nil: somebody wants to know what was not evaluated.
func (j *judging) judge(r *rule, v any, seen *evaluated) {
	j.spend(1)
	if r.source == nil {
		if r.never {
			j.fault("false", nil)
		}
		return
	}
	meta := j.meta
	if r == meta {
		j.meta = metaOf(meta, v)
		r = j.meta
	}
	for _, other := range j.chain[j.base:] {
		if other == r {
			j.fault("$ref", nil)
			return
		}
	}
	if len(j.chain) > maxChain {
		panic(ended{fmt.Errorf("%w: the schema leads from one value to the next through more than %d schemas", errWork, maxChain)})
	}
	j.chain = append(j.chain, r)
	j.scopes = append(j.scopes, r.home)
	j.keywords(r, v, seen)
	j.chain = j.chain[:len(j.chain)-1]
	j.scopes = j.scopes[:len(j.scopes)-1]
	j.meta = meta
}

func (j *judging) keywords(r *rule, v any, seen *evaluated) {
	before := j.faults
	if r.replaced {
		j.same(r.ref, v, seen)
		return
	}
	if seen == nil && (r.unevaluatedItems != nil || r.unevaluatedProperties != nil) {
		seen = &evaluated{}
	}
	// These settle the matter: further faults would only be noise.
	switch {
	case r.types != 0 && r.types&kindOf(v) == 0:
		j.fault("type", r.typeNames)
		return
	case r.constant != nil && !r.constant.has(v, j.step):
		j.fault("const", r.source["const"])
		return
	case r.enum != nil && !r.enum.has(v, j.step):
		j.fault("enum", r.source["enum"])
		return
	}
	if r.ref != nil {
		j.same(r.ref, v, seen)
	}
	j.dynamic(r, v, seen)
	switch v := v.(type) {
	case map[string]any:
		j.object(r, v, seen)
	case []any:
		j.array(r, v, seen)
	case string:
		j.text(r, v)
	default:
		j.number(r, v)
	}
	if j.quiet && j.faults > before {
		return
	}
	j.choices(r, v, seen)
	j.unevaluated(r, v, seen)
}

// same judges v by another rule, and reports whether it fits.
func (j *judging) same(r *rule, v any, seen *evaluated) bool {
	before := j.faults
	if seen == nil {
		j.judge(r, v, nil)
		return j.faults == before
	}
	var own evaluated
	j.judge(r, v, &own)
	if j.faults != before {
		return false
	}
	seen.add(&own)
	return true
}

// fits reports whether v fits r, and nothing of the faults.
func (j *judging) fits(r *rule, v any, seen *evaluated) bool {
	before, quiet := j.faults, j.quiet
	j.quiet = true
	ok := j.same(r, v, seen)
	j.faults, j.quiet = before, quiet
	return ok
}

// attempt is fits, and returns the faults. They are the caller's to report.
func (j *judging) attempt(r *rule, v any, seen *evaluated) (found []finding, ok bool) {
	before, into := j.faults, j.found
	j.found = &found
	j.branch++
	ok = j.same(r, v, seen)
	j.branch--
	j.faults, j.found = before, into
	return found, ok
}

// below judges a member or an item.
func (j *judging) below(r *rule, v any, t token) {
	if r == nil {
		return
	}
	base := j.base
	j.base = len(j.chain)
	j.place = append(j.place, t)
	j.judge(r, v, nil)
	j.place = j.place[:len(j.place)-1]
	j.base = base
}

// dynamic follows the references whose target depends on the way.
func (j *judging) dynamic(r *rule, v any, seen *evaluated) {
	if target := r.recursiveRef; target != nil {
		if target.recursiveAnchor {
			for i := len(j.scopes) - 1; i >= 0; i-- {
				if root := j.scopes[i].root; root.recursiveAnchor {
					target = root
				}
			}
		}
		j.same(target, v, seen)
	}
	if target := r.dynamicRef; target != nil {
		if r.dynamicName != "" && target.dynamicAnchor == r.dynamicName {
			for _, scope := range j.scopes {
				if outer := scope.dynamic[r.dynamicName]; outer != nil {
					target = outer
					break
				}
			}
		}
		j.same(target, v, seen)
	}
}

func (j *judging) choices(r *rule, v any, seen *evaluated) {
	if r.not != nil && j.fits(r.not, v, seen) {
		j.fault("not", r.source["not"])
	}
	for _, t := range r.allOf {
		if !j.same(t, v, seen) && j.quiet {
			return
		}
	}
	if len(r.anyOf) > 0 {
		j.any(r, v, seen)
	}
	if len(r.oneOf) > 0 {
		j.one(r, v, seen)
	}
	if r.condition == nil {
		return
	}
	then := r.otherwise
	if j.fits(r.condition, v, seen) {
		then = r.then
	}
	if then != nil {
		j.same(then, v, seen)
	}
}

func (j *judging) any(r *rule, v any, seen *evaluated) {
	var branches [][]finding
	fitting := false
	for _, t := range r.anyOf {
		found, ok := j.alternative(t, v, seen, len(branches))
		if !ok {
			branches = append(branches, found)
			continue
		}
		fitting = true
		if seen == nil {
			break
		}
	}
	if !fitting {
		j.report(finding{keyword: "anyOf", branches: branches[:min(len(branches), shownBranches)], total: len(r.anyOf)})
	}
}

func (j *judging) one(r *rule, v any, seen *evaluated) {
	var branches [][]finding
	var fitting []int
	for i, t := range r.oneOf {
		known := len(branches)
		if len(fitting) > 0 {
			known = shownBranches
		}
		found, ok := j.alternative(t, v, seen, known)
		if !ok {
			branches = append(branches, found)
			continue
		}
		if fitting = append(fitting, i); len(fitting) == 2 {
			j.fault("oneOf", fitting)
			return
		}
	}
	if len(fitting) == 0 {
		j.report(finding{keyword: "oneOf", branches: branches[:min(len(branches), shownBranches)], total: len(r.oneOf)})
	}
}

// alternative judges one of several, of which the faults of so many are known.
func (j *judging) alternative(r *rule, v any, seen *evaluated, known int) (found []finding, ok bool) {
	if j.quiet || known >= shownBranches {
		return nil, j.fits(r, v, seen)
	}
	return j.attempt(r, v, seen)
}
