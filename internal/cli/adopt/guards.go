package adopt

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ends reports whether statements end the script with an error: exit 1, or a function with a name
// such as usage or die.
func ends(all []*syntax.Stmt) bool {
	return slices.ContainsFunc(all, func(s *syntax.Stmt) bool {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			return len(c.Args) > 0 && slices.Contains(enders, strings.ToLower(c.Args[0].Lit()))
		case *syntax.Block:
			return ends(c.Stmts)
		case *syntax.BinaryCmd:
			return ends([]*syntax.Stmt{c.X, c.Y})
		case *syntax.IfClause: // it may go on otherwise
			return c.Else != nil && ends(c.Then) && ends(c.Else.Then)
		}
		return false
	})
}

var enders = strings.Fields("exit return usage die fail abort " +
	"help show_help print_usage show_usage print_help fatal error")

// numeric maps comparisons to those of test that compare numbers.
var numeric = map[string]string{"<": "-lt", "<=": "-le", ">": "-gt", ">=": "-ge", "==": "-eq", "=": "-eq", "!=": "-ne"}

// opposite maps each comparison to its negation.
var opposite = map[string]string{"-lt": "-ge", "-ge": "-lt", "-gt": "-le", "-le": "-gt", "-eq": "-ne", "-ne": "-eq"}

// A test is a part of a condition that has no parts, in whichever of the shell's notations: [ ], [[ ]] or (( )).
type test struct {
	op    string       // as the command test has it: -z, -lt, =
	x, y  *syntax.Word // y is nil behind an operator such as -z
	not   bool         // it has to fail
	alone bool         // the condition holds if this one does, whatever the others say
}

// tests returns the tests of a condition, or of its negation.
func tests(s *syntax.Stmt, not bool) []test {
	not = not != s.Negated
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		switch n := len(c.Args); {
		case n > 2 && c.Args[0].Lit() == "[":
			return bracket(c.Args[1:n-1], not)
		case n > 1 && c.Args[0].Lit() == "test":
			return bracket(c.Args[1:], not)
		}
	case *syntax.TestClause:
		return doubleBracket(c.X, not)
	case *syntax.ArithmCmd:
		if b, ok := c.X.(*syntax.BinaryArithm); ok {
			return binary(numeric[b.Op.String()], b.X, b.Y, not)
		}
	case *syntax.BinaryCmd:
		if c.Op == syntax.OrStmt || c.Op == syntax.AndStmt {
			return sides(tests(c.X, not), tests(c.Y, not), (c.Op == syntax.OrStmt) != not)
		}
	}
	return nil
}

// bracket returns the tests of [ ].
func bracket(args []*syntax.Word, not bool) []test {
	for _, joint := range []string{"-o", "-a"} {
		if i := slices.IndexFunc(args, func(arg *syntax.Word) bool { return arg.Lit() == joint }); i > 0 {
			return sides(bracket(args[:i], not), bracket(args[i+1:], not), (joint == "-o") != not)
		}
	}
	if len(args) > 1 && args[0].Lit() == "!" {
		return bracket(args[1:], !not)
	}
	switch len(args) {
	case 1:
		return []test{{"-n", args[0], nil, not, true}}
	case 2:
		return []test{{args[0].Lit(), args[1], nil, not, true}}
	case 3:
		return []test{{args[1].Lit(), args[0], args[2], not, true}}
	}
	return nil
}

// doubleBracket returns the tests of [[ ]].
func doubleBracket(x syntax.TestExpr, not bool) []test {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return doubleBracket(x.X, not)
	case *syntax.Word:
		return []test{{"-n", x, nil, not, true}}
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return doubleBracket(x.X, !not)
		}
		if word, ok := x.X.(*syntax.Word); ok {
			return []test{{x.Op.String(), word, nil, not, true}}
		}
	case *syntax.BinaryTest:
		if x.Op == syntax.OrTest || x.Op == syntax.AndTest {
			return sides(doubleBracket(x.X, not), doubleBracket(x.Y, not), (x.Op == syntax.OrTest) != not)
		}
		return binary(x.Op.String(), x.X, x.Y, not)
	}
	return nil
}

// binary returns the test that compares two nodes, if they are words.
func binary(op string, left, right syntax.Node, not bool) []test {
	x, _ := left.(*syntax.Word)
	y, _ := right.(*syntax.Word)
	if x == nil || y == nil {
		return nil
	}
	return []test{{op, x, y, not, true}}
}

// sides returns the tests on both sides of an or, of which each is enough, or of an and.
func sides(left, right []test, or bool) []test {
	all := append(left, right...)
	for i := range all {
		all[i].alone = all[i].alone && or
	}
	return all
}

// compares reports whether a condition compares texts, which a script can do without the argument.
func compares(cond *syntax.Stmt) bool {
	return slices.ContainsFunc(tests(cond, false), func(t test) bool {
		return contains(t.x, "1", "2", "3", "4") && oneOf("= == !=", t.op)
	})
}

// guard records what a script requires that ends if a condition holds, or if it does not.
func (w *walker) guard(s *syntax.Stmt, not bool) {
	for _, t := range tests(s, not) {
		if t.alone {
			w.presence(t)
			w.count(t)
		}
	}
}

// presence reads -z "$x", and -n "$x" that has to fail.
func (w *walker) presence(t test) {
	if t.y != nil || t.op != "-z" && !slices.Contains([]string{"-n", "-f", "-e", "-d", "-r", "-s"}, t.op) ||
		t.not == (t.op == "-z") {
		return
	}
	p, ok := expansion(t.x)
	if !ok || p.Exp != nil && p.Exp.Op != syntax.DefaultUnset && p.Exp.Op != syntax.DefaultUnsetOrNull || p.Slice != nil ||
		p.Repl != nil {
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
func (w *walker) fills(cond *syntax.Stmt, not bool, then []*syntax.Stmt) {
	for _, t := range tests(cond, not) {
		name, ok := parameter(t.x)
		switch {
		case !t.alone || !ok:
		case t.y == nil && (t.op == "-z" && !t.not || t.op == "-n" && t.not):
			w.fill(name, then)
		case t.least() == 1:
			w.fill("1", then)
		}
	}
}

// fill records what then sets a variable or a position to.
func (w *walker) fill(name string, then []*syntax.Stmt) {
	n, err := strconv.Atoi(name)
	if err == nil && len(then) != 1 {
		return // more happens without the argument than that a variable is set
	}
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
			at := w.position(n+w.shifted, Position{Value: Value{Line: line(a), From: "$" + name}})
			at.Required, at.Name, at.Default = false, cmp.Or(at.Name, a.Name.Value), cmp.Or(at.Default, text)
			w.optional[n+w.shifted] = true
		} else if text != "" && !w.options {
			w.constants[name] = text
		}
		return
	}
}

// count reads $# -lt 2 and similar tests.
func (w *walker) count(t test) {
	if n := t.least(); n > 0 && (!w.loops || w.options) { // before its loop, options count, too
		w.least = max(w.least, n+w.shifted)
	}
}

// least returns how many arguments a script requires that ends if the test holds.
func (t test) least() int {
	if name, ok := parameter(t.x); !ok || name != "#" || t.y == nil {
		return 0
	}
	text, _ := literal(t.y)
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 50 {
		return 0
	}
	op := cmp.Or(numeric[t.op], t.op)
	if t.not {
		op = opposite[op]
	}
	switch {
	case op == "-lt", op == "-ne":
		return n
	case op == "-le", op == "-eq" && n == 0:
		return n + 1
	}
	return 0
}
