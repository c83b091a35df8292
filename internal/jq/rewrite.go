package jq

import (
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// A rewriter changes a filter so that what makes or walks through an object goes by the
// order of its keys: instead of what the library has built in, it calls definitions of
// prelude.jq.
type rewriter struct {
	lines []int // of each $__loc__ in the filter that is still to come
}

// rewrite changes q, which was parsed from text.
func rewrite(q *gojq.Query, text string) {
	r := &rewriter{}
	before := 1
	for part := range strings.SplitAfterSeq(text, "$__loc__") {
		before += strings.Count(part, "\n")
		r.lines = append(r.lines, before)
	}
	r.query(q)
}

// operator has +, * and = of objects done by a definition.
func (r *rewriter) operator(q *gojq.Query) {
	name := ""
	switch q.Op {
	case gojq.OpAdd:
		name = "_add"
	case gojq.OpMul:
		name = "_multiply"
	case gojq.OpAssign:
		name = "_assign"
	}
	if name == "" || q.Op != gojq.OpAssign && (noObject(q.Left) || noObject(q.Right)) {
		return
	}
	q.Term = call(name, q.Left, q.Right)
	q.Op, q.Left, q.Right = 0, nil, nil
}

// noObject reports that the results of q are not objects. It errs on the safe side.
func noObject(q *gojq.Query) bool {
	if t := q.Term; t != nil {
		switch t.Type {
		case gojq.TermTypeNumber, gojq.TermTypeUnary, gojq.TermTypeFormat, gojq.TermTypeString,
			gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
			return true
		case gojq.TermTypeArray:
			return len(t.SuffixList) == 0
		case gojq.TermTypeQuery:
			return len(t.SuffixList) == 0 && noObject(t.Query)
		case gojq.TermTypeFunc:
			return t.Func.Name == "length" && len(t.Func.Args) == 0
		}
		return false
	}
	switch q.Op {
	case gojq.OpAdd: // null + object is an object
		return noObject(q.Left) && !isNull(q.Left) || noObject(q.Right) && !isNull(q.Right)
	case gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod, gojq.OpAnd, gojq.OpOr,
		gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe:
		return true
	}
	return false
}

// isNull reports that q, which has no objects as results, may have null.
func isNull(q *gojq.Query) bool {
	if q.Term == nil {
		return q.Op == gojq.OpMul // "a" * -1
	}
	return q.Term.Type == gojq.TermTypeNull || q.Term.Type == gojq.TermTypeQuery && isNull(q.Term.Query)
}

// iterate has .[] done by _each.
func (r *rewriter) iterate(t *gojq.Term) {
	suffixes := t.SuffixList
	t.SuffixList = nil
	for i := 0; i < len(suffixes); i++ {
		if !suffixes[i].Iter {
			t.SuffixList = append(t.SuffixList, suffixes[i])
			continue
		}
		each := call("_each")
		for i+1 < len(suffixes) && suffixes[i+1].Optional { // .[]? does not catch errors of what is before it
			i++
			each.SuffixList = []*gojq.Suffix{suffixes[i]}
		}
		before := *t
		*t = gojq.Term{Type: gojq.TermTypeQuery, Query: pipe(&before, each)}
	}
}

// location makes $__loc__ the constant that it stands for.
func (r *rewriter) location(t *gojq.Term) {
	if t.Func.Name != "$__loc__" {
		return
	}
	line := 1
	if len(r.lines) > 0 {
		line, r.lines = r.lines[0], r.lines[1:]
	}
	*t = gojq.Term{Type: gojq.TermTypeObject, SuffixList: t.SuffixList, Object: &gojq.Object{KeyVals: []*gojq.ObjectKeyVal{
		{Key: "file", Val: stringLiteral("<top-level>")},
		{Key: "line", Val: query(&gojq.Term{Type: gojq.TermTypeNumber, Number: strconv.Itoa(line)})},
	}}}
}

func query(t *gojq.Term) *gojq.Query { return &gojq.Query{Term: t} }

func pipe(left, right *gojq.Term) *gojq.Query {
	return &gojq.Query{Left: query(left), Op: gojq.OpPipe, Right: query(right)}
}

func call(name string, args ...*gojq.Query) *gojq.Term {
	return &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}
}

func variable(name string) *gojq.Query { return query(call(name)) }

func stringLiteral(s string) *gojq.Query {
	return query(&gojq.Term{Type: gojq.TermTypeString, Str: &gojq.String{Str: s}})
}

// list returns the array of these filters' results.
func list(items []*gojq.Query) *gojq.Term {
	all := items[0]
	for _, item := range items[1:] {
		all = &gojq.Query{Left: all, Op: gojq.OpComma, Right: item}
	}
	return &gojq.Term{Type: gojq.TermTypeArray, Array: &gojq.Array{Query: all}}
}
