package adopt

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ends reports whether statements end the script with an error: exit 1, or a function with a name
// such as usage or die.
func ends(all []*syntax.Stmt) bool {
	for c := range nodes[*syntax.CallExpr](all) {
		if len(c.Args) > 0 && slices.Contains(enders, strings.ToLower(c.Args[0].Lit())) {
			return true
		}
	}
	return false
}

var enders = strings.Fields("exit return usage die fail abort help show_help print_usage show_usage print_help fatal error")

// comparisons maps the operators of test to those of arithmetic.
var comparisons = map[string]string{"-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">=", "-eq": "==", "-ne": "!=", "=": "==", "==": "==", "!=": "!="}

// opposite maps each comparison to its negation.
var opposite = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

// guard records what a script requires that ends if the condition holds.
func (w *walker) guard(s *syntax.Stmt) { w.condition(s, s.Negated) }

// unless is guard for a script that ends if the condition does not hold.
func (w *walker) unless(s *syntax.Stmt) { w.condition(s, !s.Negated) }

func (w *walker) condition(s *syntax.Stmt, not bool) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		name := ""
		if len(c.Args) > 0 {
			name = c.Args[0].Lit()
		}
		if name != "[" && name != "test" {
			return
		}
		args := c.Args[1:]
		if n := len(args); name == "[" && n > 0 && args[n-1].Lit() == "]" {
			args = args[:n-1]
		}
		if len(args) > 0 && args[0].Lit() == "!" {
			args, not = args[1:], !not
		}
		switch {
		case len(args) == 2:
			w.presence(args[0].Lit(), args[1], not)
		case len(args) == 3:
			w.count(args[0], comparisons[args[1].Lit()], args[2], not)
		}
	case *syntax.TestClause:
		w.test(c.X, not)
	case *syntax.ArithmCmd:
		if b, ok := c.X.(*syntax.BinaryArithm); ok {
			x, _ := b.X.(*syntax.Word)
			y, _ := b.Y.(*syntax.Word)
			w.count(x, b.Op.String(), y, not)
		}
	case *syntax.BinaryCmd:
		if c.Op == syntax.OrStmt && !not || c.Op == syntax.AndStmt && not { // either of the two is enough
			w.condition(c.X, not != c.X.Negated)
			w.condition(c.Y, not != c.Y.Negated)
		}
	}
}

// test is condition for [[ ]].
func (w *walker) test(x syntax.TestExpr, not bool) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		w.test(x.X, not)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			w.test(x.X, !not)
		} else if word, ok := x.X.(*syntax.Word); ok {
			w.presence(x.Op.String(), word, not)
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.OrTest:
			if !not {
				w.test(x.X, not)
				w.test(x.Y, not)
			}
		case syntax.AndTest:
			if not {
				w.test(x.X, not)
				w.test(x.Y, not)
			}
		default:
			left, _ := x.X.(*syntax.Word)
			right, _ := x.Y.(*syntax.Word)
			w.count(left, comparisons[x.Op.String()], right, not)
		}
	}
}

// presence reads -z "$x", and -n "$x" if not is set.
func (w *walker) presence(op string, word *syntax.Word, not bool) {
	if op != "-z" && !(not && slices.Contains([]string{"-n", "-f", "-e", "-d", "-r", "-s"}, op)) || op == "-z" && not {
		return
	}
	p, ok := expansion(word)
	if !ok || p.Exp != nil && p.Exp.Op != syntax.DefaultUnset && p.Exp.Op != syntax.DefaultUnsetOrNull || p.Slice != nil || p.Repl != nil {
		return // ${x##*[!0-9]*} asks for something else
	}
	name := p.Param.Value
	if n, err := strconv.Atoi(name); err == nil {
		w.demanded[n+w.shifted] = true
	} else if w.constants[name] == "" && !w.filled[name] {
		w.needed[name] = true
	}
}

// fills records what a script sets where there is nothing: [ -z "$FILE" ] && FILE=AUTHORS.
func (w *walker) fills(cond *syntax.Stmt, then []*syntax.Stmt) {
	var args []*syntax.Word
	op := ""
	not := cond.Negated
	switch c := cond.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) < 3 || c.Args[0].Lit() != "[" && c.Args[0].Lit() != "test" {
			return
		}
		args, op = c.Args[2:3], c.Args[1].Lit()
		if c.Args[2].Lit() == "]" { // [ $x ]
			return
		}
		if name, ok := parameter(c.Args[1]); ok && len(c.Args) > 3 && name == "#" {
			if (c.Args[2].Lit() == "-eq" && c.Args[3].Lit() == "0" || c.Args[2].Lit() == "-lt" && c.Args[3].Lit() == "1") && !not {
				w.fill("1", then)
			}
			return
		}
	case *syntax.TestClause:
		if u, ok := c.X.(*syntax.UnaryTest); ok {
			if word, ok := u.X.(*syntax.Word); ok {
				args, op = []*syntax.Word{word}, u.Op.String()
			}
		}
	}
	if len(args) == 1 && (op == "-z" && !not || op == "-n" && not) {
		if name, ok := parameter(args[0]); ok {
			w.fill(name, then)
		}
	}
}

// fill records what then sets a variable or a position to.
func (w *walker) fill(name string, then []*syntax.Stmt) {
	n, err := strconv.Atoi(name)
	for a := range nodes[*syntax.Assign](then) {
		if a.Name == nil || a.Value == nil || err != nil && a.Name.Value != name {
			continue
		}
		text, _ := literal(a.Value)
		w.filled[a.Name.Value] = true
		for at, p := range w.positions {
			if err != nil && p.Name == name {
				n, err = at-w.shifted, nil
			}
		}
		if err == nil {
			at := w.positions[n+w.shifted]
			if at == nil {
				at = &Position{Value: Value{Line: line(a), From: "$" + name}}
				w.positions[n+w.shifted] = at
			}
			at.Required = false
			if at.Name == "" {
				at.Name = a.Name.Value
			}
			if at.Default == "" {
				at.Default = text
			}
			w.optional[n+w.shifted] = true
		} else if text != "" && !w.options {
			w.constants[name] = text
		}
		return
	}
}

// count reads $# -lt 2 and similar conditions.
func (w *walker) count(x *syntax.Word, op string, y *syntax.Word, not bool) {
	if name, ok := parameter(x); !ok || name != "#" || y == nil {
		return
	}
	text, _ := literal(y)
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 50 {
		return
	}
	if not {
		op = opposite[op]
	}
	least := 0
	switch op { // the script ends if $# op n holds
	case "<", "!=":
		least = n
	case "<=":
		least = n + 1
	case "==":
		if n == 0 {
			least = 1
		}
	}
	if w.loops && !w.options {
		return // options count, too
	}
	w.least = max(w.least, least+w.shifted)
}
