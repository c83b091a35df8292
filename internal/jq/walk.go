package jq

import "github.com/itchyny/gojq"

// The rewriter walks through a filter, inside out and in the order of the text, and
// changes it in place where rewrite.go says so.

func (r *rewriter) query(q *gojq.Query) {
	if q == nil {
		return
	}
	r.funcDefs(q.FuncDefs)
	if q.Term != nil {
		r.term(q.Term)
		return
	}
	r.query(q.Left)
	r.patterns(q.Patterns)
	r.query(q.Right)
	r.operator(q)
}

func (r *rewriter) funcDefs(defs []*gojq.FuncDef) {
	for _, def := range defs {
		r.query(def.Body)
	}
}

func (r *rewriter) term(t *gojq.Term) {
	r.index(t.Index)
	r.text(t.Str)
	switch t.Type {
	case gojq.TermTypeFunc:
		for _, arg := range t.Func.Args {
			r.query(arg)
		}
		r.location(t)
	case gojq.TermTypeObject:
		r.members(t.Object)
		r.object(t)
	case gojq.TermTypeArray:
		r.query(t.Array.Query)
	case gojq.TermTypeUnary:
		r.term(t.Unary.Term)
	case gojq.TermTypeIf:
		r.condition(t.If)
	case gojq.TermTypeTry:
		r.query(t.Try.Body)
		r.query(t.Try.Catch)
	case gojq.TermTypeReduce:
		r.query(t.Reduce.Query)
		r.patterns(t.Reduce.Patterns)
		r.query(t.Reduce.Start)
		r.query(t.Reduce.Update)
	case gojq.TermTypeForeach:
		r.query(t.Foreach.Query)
		r.patterns(t.Foreach.Patterns)
		r.query(t.Foreach.Start)
		r.query(t.Foreach.Update)
		r.query(t.Foreach.Extract)
	case gojq.TermTypeLabel:
		r.query(t.Label.Body)
	case gojq.TermTypeQuery:
		r.query(t.Query)
	}
	for _, s := range t.SuffixList {
		r.index(s.Index)
	}
	r.iterate(t)
}

func (r *rewriter) condition(c *gojq.If) {
	r.query(c.Cond)
	r.query(c.Then)
	for _, elif := range c.Elif {
		r.query(elif.Cond)
		r.query(elif.Then)
	}
	r.query(c.Else)
}

func (r *rewriter) index(i *gojq.Index) {
	if i != nil {
		r.text(i.Str)
		r.query(i.Start)
		r.query(i.End)
	}
}

func (r *rewriter) text(s *gojq.String) {
	if s != nil {
		for _, q := range s.Queries {
			r.query(q)
		}
	}
}

func (r *rewriter) members(o *gojq.Object) {
	for _, m := range o.KeyVals {
		if m.Key == "$__loc__" && m.Val == nil { // {$__loc__} is {__loc__: $__loc__}
			m.Key, m.Val = "__loc__", variable(m.Key)
		}
		r.text(m.KeyString)
		r.query(m.KeyQuery)
		r.query(m.Val)
	}
}

func (r *rewriter) patterns(patterns []*gojq.Pattern) {
	for _, p := range patterns {
		r.patterns(p.Array)
		for _, m := range p.Object {
			r.text(m.KeyString)
			r.query(m.KeyQuery)
			if m.Val != nil {
				r.patterns([]*gojq.Pattern{m.Val})
			}
		}
	}
}
