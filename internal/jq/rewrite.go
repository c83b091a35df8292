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
		return q.Op == gojq.OpMul // of "a" * 0
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

// object has the construction of an object note the order of its keys. Keys that are not
// in the text, and all values then, are computed first, so that their results are at hand:
//
//	{(k): v, b: w}   becomes   k as $_k0 | v as $_v0 | w as $_v1
//	                           | {($_k0): $_v0, b: $_v1} | _shape([$_k0, "b"])
func (r *rewriter) object(t *gojq.Term) {
	members := t.Object.KeyVals
	if len(members) < 2 {
		return
	}
	names := make([]*gojq.Query, len(members))
	computed := false
	for i, m := range members {
		names[i] = staticName(m)
		computed = computed || names[i] == nil
	}
	suffixes := t.SuffixList
	t.SuffixList = nil
	object := *t
	var bind func(body *gojq.Query) *gojq.Query
	if computed {
		object, names, bind = bindMembers(members)
	}
	body := pipe(&object, call("_shape", query(list(names))))
	if bind != nil {
		body = bind(body)
	}
	*t = gojq.Term{Type: gojq.TermTypeQuery, Query: body, SuffixList: suffixes}
}

// staticName returns the key of a member as a filter, if it is in the text.
func staticName(m *gojq.ObjectKeyVal) *gojq.Query {
	switch {
	case strings.HasPrefix(m.Key, "$") && m.Val == nil:
		return stringLiteral(m.Key[1:])
	case m.Key != "" && !strings.HasPrefix(m.Key, "$"):
		return stringLiteral(m.Key)
	case m.KeyString != nil && m.KeyString.Queries == nil:
		return stringLiteral(m.KeyString.Str)
	}
	return nil
}

func bindMembers(members []*gojq.ObjectKeyVal) (object gojq.Term, names []*gojq.Query, bind func(*gojq.Query) *gojq.Query) {
	type variable struct {
		name  string
		value *gojq.Query
	}
	var vars []variable
	object = gojq.Term{Type: gojq.TermTypeObject, Object: &gojq.Object{}}
	for i, m := range members {
		key, value := staticName(m), m.Val
		if key == nil {
			k := "$_k" + strconv.Itoa(i)
			vars = append(vars, variable{k, keyOf(m)})
			key = query(variableTerm(k))
		}
		if value == nil {
			value = valueOf(m, key)
		}
		v := "$_v" + strconv.Itoa(i)
		vars = append(vars, variable{v, value})
		names = append(names, key)
		object.Object.KeyVals = append(object.Object.KeyVals,
			&gojq.ObjectKeyVal{KeyQuery: key, Val: query(variableTerm(v))})
	}
	return object, names, func(body *gojq.Query) *gojq.Query {
		for i := len(vars) - 1; i >= 0; i-- {
			body = &gojq.Query{
				Left: vars[i].value, Op: gojq.OpPipe, Right: body,
				Patterns: []*gojq.Pattern{{Name: vars[i].name}},
			}
		}
		return body
	}
}

// keyOf returns the filter that computes a key: that of (k), "a\(k)" or $k.
func keyOf(m *gojq.ObjectKeyVal) *gojq.Query {
	switch {
	case m.KeyQuery != nil:
		return m.KeyQuery
	case m.KeyString != nil:
		return query(&gojq.Term{Type: gojq.TermTypeString, Str: m.KeyString})
	}
	return query(variableTerm(m.Key))
}

// valueOf returns the value of a member that is only a key: $x of {$x}, .a of {a}.
func valueOf(m *gojq.ObjectKeyVal, key *gojq.Query) *gojq.Query {
	if strings.HasPrefix(m.Key, "$") {
		return query(variableTerm(m.Key))
	}
	return query(&gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Start: key}})
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

func variableTerm(name string) *gojq.Term { return call(name) }

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
