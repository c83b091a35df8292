package check

import (
	"iter"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// taint is the set of a script's variables that hold values from clients, unchanged or modified. It
// considers neither order nor functions, so a variable that ever holds such a value counts
// everywhere.
type taint map[string]bool

// fromClient are variables that the server sets to values from clients.
var fromClient = []string{
	"MCP_TOOL_ARGS_JSON", "MCP_PROMPT_ARGS_JSON", "MCP_COMPLETION_ARGS_JSON", "MCP_RESOURCE_URI", "MCP_RESOURCE_VARS_JSON",
}

// getters are the helpers of the SDK that print an argument unchecked. The output of those that check
// it, such as mcp_args_int, is safe everywhere.
var getters = []string{"mcp_args_get", "mcp_args_require", "mcp_args_raw"}

// taintOf finds the variables of a script that hold values from clients.
func taintOf(tree *syntax.File) taint {
	t := make(taint)
	for _, name := range fromClient {
		t[name] = true
	}
	for known := -1; known < len(t); { // variables are assigned from each other: repeat until none is added
		known = len(t)
		for node := range syntax.Preorder(tree) {
			t.learn(node)
		}
	}
	return t
}

// learn adds the variables that a node sets to such values.
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

// readIn adds the variables that read and similar commands set anywhere in a node.
func (t taint) readIn(node syntax.Node) {
	for call := range nodes[*syntax.CallExpr](node) {
		if !slices.Contains([]string{"read", "mapfile", "readarray"}, nameOf(call)) {
			continue
		}
		for _, w := range call.Args[1:] {
			t.fill(w)
		}
	}
}

// fill adds the variable that a word names.
func (t taint) fill(w *syntax.Word) {
	if name := w.Lit(); syntax.ValidName(name) {
		t[name] = true
	}
}

// in reports whether a value from a client is expanded anywhere in a node.
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
				return false // it checks or quotes the value
			}
		}
		return !found
	})
	return found
}

// isAlternative reports whether an expansion results in another word or nothing: ${x:+word}.
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

// literal returns the text of a word without its expansions.
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

// nodes are the nodes of a type in a node, in the order of the script.
func nodes[T syntax.Node](in syntax.Node) iter.Seq[T] {
	return func(yield func(T) bool) {
		for node := range syntax.Preorder(in) {
			if n, ok := node.(T); ok && !yield(n) {
				return
			}
		}
	}
}

// nameOf returns the command that a call names, "" if the name contains expansions.
func nameOf(call *syntax.CallExpr) string {
	if len(call.Args) == 0 {
		return ""
	}
	return call.Args[0].Lit()
}
