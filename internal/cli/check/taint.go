package check

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// taint is what a script knows of values that clients gave it: the names of the variables that
// hold one, as they are or worked upon. It knows neither order nor functions, so a variable that
// ever held one counts everywhere.
type taint map[string]bool

// fromClient are variables that the server fills with what a client gave.
var fromClient = []string{
	"MCP_TOOL_ARGS_JSON", "MCP_PROMPT_ARGS_JSON", "MCP_COMPLETION_ARGS_JSON", "MCP_RESOURCE_URI", "MCP_RESOURCE_VARS_JSON",
}

// getters are the helpers of the SDK that print an argument as it came. Those that check it, as
// mcp_args_int does, are safe in any place.
var getters = []string{"mcp_args_get", "mcp_args_require", "mcp_args_raw"}

// taintOf finds the variables of a script that hold what a client gave.
func taintOf(tree *syntax.File) taint {
	t := make(taint)
	for _, name := range fromClient {
		t[name] = true
	}
	for known := -1; known < len(t); { // one variable passes it on to the next
		known = len(t)
		for node := range syntax.Preorder(tree) {
			t.learn(node)
		}
	}
	return t
}

// learn notes the variables that a node fills.
func (t taint) learn(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.Assign:
		if n.Name != nil && (n.Value != nil && t.in(n.Value) || n.Array != nil && t.in(n.Array)) {
			t[n.Name.Value] = true
		}
	case *syntax.WordIter:
		if slices.ContainsFunc(n.Items, func(w *syntax.Word) bool { return t.in(w) }) {
			t[n.Name.Value] = true
		}
	case *syntax.CallExpr:
		if slices.Contains(getters, nameOf(n)) {
			for i, w := range n.Args[1:] {
				if w.Lit() == "-v" && i+2 < len(n.Args) {
					t.fill(n.Args[i+2])
				}
			}
		}
	case *syntax.Stmt: // while read -r x; do ... done <<<"$args"
		for _, r := range n.Redirs {
			if r.Op != syntax.RdrOut && (r.Word != nil && t.in(r.Word) || r.Hdoc != nil && t.in(r.Hdoc)) {
				t.readIn(n)
			}
		}
	case *syntax.BinaryCmd: // mcp_args_get .x | while read -r x
		if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && t.in(n.X) {
			t.readIn(n.Y)
		}
	}
}

// readIn notes the variables that read and its like fill somewhere in a node.
func (t taint) readIn(node syntax.Node) {
	for n := range syntax.Preorder(node) {
		call, ok := n.(*syntax.CallExpr)
		if !ok || !slices.Contains([]string{"read", "mapfile", "readarray"}, nameOf(call)) {
			continue
		}
		for _, w := range call.Args[1:] {
			t.fill(w)
		}
	}
}

// fill notes a variable whose name a word is.
func (t taint) fill(w *syntax.Word) {
	if name := w.Lit(); syntax.ValidName(name) {
		t[name] = true
	}
}

// in reports whether what a client gave is expanded somewhere in a node.
func (t taint) in(node syntax.Node) bool {
	found := false
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Length || isAlternative(n) || isQuotation(n) {
				return false
			}
			found = found || n.Param != nil && t[n.Param.Value]
		case *syntax.CallExpr:
			switch name := nameOf(n); {
			case slices.Contains(getters, name):
				found = true
			case strings.HasPrefix(name, "mcp_args_"), name == "printf" && len(n.Args) > 1 && isQuoteFormat(n.Args[1]):
				return false // it checks or quotes what it is given
			}
		}
		return !found
	})
	return found
}

// isAlternative reports whether an expansion gives, at most, another word: ${x:+word}.
func isAlternative(n *syntax.ParamExp) bool {
	return n.Exp != nil && (n.Exp.Op == syntax.AlternateUnset || n.Exp.Op == syntax.AlternateUnsetOrNull)
}

// isQuotation reports whether an expansion is ${x@Q}.
func isQuotation(n *syntax.ParamExp) bool {
	return n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "Q"
}

// isQuoteFormat reports whether a format of printf quotes for the shell.
func isQuoteFormat(w *syntax.Word) bool {
	text := literal(w)
	return strings.Contains(text, "%q") && !strings.Contains(text, "%s")
}

// literal is the text of a word without what is expanded.
func literal(w *syntax.Word) string {
	var b strings.Builder
	for n := range syntax.Preorder(w) {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(n.Value)
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		}
	}
	return b.String()
}

// nameOf is the command that a call names, "" where that is expanded.
func nameOf(call *syntax.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	return call.Args[0].Lit()
}
