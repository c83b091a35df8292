package check

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// enders are the helpers of the SDK that exit the tool if they have no value to print.
var enders = []string{"mcp_args_require", "mcp_args_int", "mcp_args_bool", "mcp_require_path"}

// masked reports declarations that hide the failure of a helper: the exit status of local
// x=$(helper) is that of local, so the script continues with an empty x.
func (s shellScript) masked() []Message {
	var all []Message
	for d := range nodes[*syntax.DeclClause](s.tree) {
		for _, a := range d.Args {
			call := enderIn(a)
			if call == nil {
				continue
			}
			name := a.Name.Value
			hint := fmt.Sprintf("write %s %s, and in the next line %s", d.Variant.Value, name, s.filling(call, name))
			if d.Variant.Value == "readonly" { // nothing can be assigned after it
				hint = fmt.Sprintf("write %s, and in the next line readonly %s", s.filling(call, name), name)
			}
			all = append(all, at(a.Pos(), Message{Level: Warning, Rule: "masked-failure",
				Message: fmt.Sprintf("%s hides that %s fails: the script goes on with an empty %s", d.Variant.Value, nameOf(call), name),
				Hint:    hint}))
		}
	}
	return all
}

// enderIn returns the call of one of the enders whose output is the value of an assignment; nil for none.
func enderIn(a *syntax.Assign) *syntax.CallExpr {
	if a.Name == nil || a.Value == nil {
		return nil
	}
	for subst := range nodes[*syntax.CmdSubst](a.Value) {
		if len(subst.Stmts) == 0 {
			continue
		}
		if call, ok := subst.Stmts[len(subst.Stmts)-1].Cmd.(*syntax.CallExpr); ok && slices.Contains(enders, nameOf(call)) {
			return call
		}
	}
	return nil
}

// filling returns a call in the form that sets a variable itself.
func (s shellScript) filling(call *syntax.CallExpr, name string) string {
	words := []string{nameOf(call), "-v", name}
	for _, w := range call.Args[1:] {
		words = append(words, s.text[w.Pos().Offset():w.End().Offset()])
	}
	return strings.Join(words, " ")
}
