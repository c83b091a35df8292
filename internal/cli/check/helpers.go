package check

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// functionsOf returns the functions that any of the scripts defines: which script sources which is
// often only known at run time.
func functionsOf(scripts []*source) map[string]bool {
	all := make(map[string]bool)
	for _, s := range scripts {
		if !s.parsed() {
			continue
		}
		for f := range nodes[*syntax.FuncDecl](s.shell.tree) {
			if f.Name != nil {
				all[f.Name.Value] = true
			}
		}
	}
	return all
}

// misspelt reports calls of functions with almost the name of a helper that no script of the project
// defines.
func (s shellScript) misspelt(helpers []string, defined map[string]bool) []Message {
	var all []Message
	for call := range nodes[*syntax.CallExpr](s.tree) {
		name := nameOf(call)
		if !strings.HasPrefix(name, "mcp_") || defined[name] || slices.Contains(helpers, name) {
			continue
		}
		if meant := suggest.Of(name, helpers); meant != "" {
			all = append(all, at(call.Pos(), Message{Level: Warning, Rule: "unknown-helper",
				Message: fmt.Sprintf("the SDK has no function %s", name), Hint: suggest.Question(meant)}))
		}
	}
	return all
}

// positional reports the first place where a tool reads a word of its command line, which is empty:
// arguments of tools are JSON. Parameters of functions are fine, and so are scripts that set their
// parameters, check their number, or give a default.
func (s shellScript) positional() []Message {
	var first *syntax.ParamExp
	aware := false
	syntax.Walk(s.tree, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FuncDecl:
			return false
		case *syntax.CallExpr:
			if nameOf(n) == "set" && len(n.Args) > 1 {
				first := n.Args[1].Lit()
				aware = aware || first == "--" || !strings.HasPrefix(first, "-") && !strings.HasPrefix(first, "+")
			}
		case *syntax.ParamExp:
			switch name := paramOf(n); {
			case name == "#":
				aware = true
			case first == nil && n.Exp == nil && strings.Trim(name, "123456789") == "" && len(name) == 1:
				first = n
			}
		}
		return true
	})
	if aware || first == nil {
		return nil
	}
	return []Message{at(first.Pos(), Message{Level: Warning, Rule: "command-line",
		Message: fmt.Sprintf("$%s is empty: a tool gets its arguments as JSON, not as words of its command line",
			paramOf(first)),
		Hint: `read them with mcp_args_get, or list the words in metadata, as in "argv": ["{name}"]`})}
}

func paramOf(n *syntax.ParamExp) string {
	if n.Param == nil {
		return ""
	}
	return n.Param.Value
}
