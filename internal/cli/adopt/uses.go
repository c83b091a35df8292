package adopt

import (
	"cmp"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// assign records what a variable is assigned from.
func (w *walker) assign(a *syntax.Assign) {
	name := ""
	if a.Name != nil {
		name = a.Name.Value
	}
	if a.Value != nil {
		if text, ok := literal(a.Value); name != "" && !w.options {
			if ok && w.depth == 0 {
				w.constants[name] = text
			} else if !ok {
				delete(w.constants, name)
			}
		}
		if p, ok := expansion(a.Value); ok && p.Exp != nil && p.Exp.Word != nil && len(p.Exp.Word.Parts) > 0 &&
			(p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull ||
				p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
			w.filled[name] = true // A=${A:-x}
		}
		if _, ok := expansion(a.Value); !ok {
			name = "" // --folder=$1 is not what the argument is, nor is what a command makes of it
		}
		w.uses(a.Value, name)
	}
	if a.Array != nil {
		w.uses(a.Array, name)
	}
}

// uses records the arguments in a node. An argument that is assigned unchanged to a variable is
// named after that variable.
func (w *walker) uses(node syntax.Node, variable string) {
	if node == nil {
		return
	}
	if word, ok := node.(*syntax.Word); ok && word == nil {
		return
	}
	for n := range syntax.Preorder(node) {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param != nil {
				w.use(n, variable)
			}
		case *syntax.CmdSubst:
			for _, s := range n.Stmts {
				if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == "getopt" {
					return // it takes them apart
				}
				if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(s.Redirs) == 0 &&
					(len(c.Args) == 1 || len(c.Args) == 2 && c.Args[1].Lit() == "-") && c.Args[0].Lit() == "cat" {
					w.Stdin = true
				}
			}
		case *syntax.Lit:
			if n.Value == "/dev/stdin" {
				w.Stdin = true
			}
		}
	}
}

// use records $1, ${2:-x}, ${3:?} or "$@".
func (w *walker) use(p *syntax.ParamExp, variable string) {
	switch name := p.Param.Value; name {
	case "@", "*":
		if !p.Length {
			w.takesRest(Position{Name: variable, Value: Value{List: true, Line: line(p), From: `"$` + name + `"`}}, w.shifted)
		}
	default:
		n, err := strconv.Atoi(name)
		if err != nil || n < 1 || n > 100 || p.Exp != nil && isAll(p.Exp.Word) {
			return // ${1+"$@"} is "$@"
		}
		at := w.position(n+w.shifted, Position{Required: w.depth == 0, Value: Value{Line: line(p), From: "$" + name}})
		at.Name = cmp.Or(at.Name, variable)
		if p.Exp == nil {
			return
		}
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
			at.Required = false
			at.From = "${" + name + ":-…}"
			if p.Exp.Word != nil {
				if text, ok := literal(p.Exp.Word); ok {
					at.Default = text
				}
			}
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
			at.Required = false
		case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
			w.demanded[n+w.shifted] = true
		}
	}
}
