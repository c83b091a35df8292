package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// loop reads while getopts …; while … case "$1" in …; or walks any other loop.
func (w *walker) loop(c *syntax.WhileClause) {
	for _, s := range c.Cond {
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) >= 3 && call.Args[0].Lit() == "getopts" {
			w.getopts(call, c.Do)
			return
		}
	}
	var best *syntax.CaseClause // others take the values apart: case $1 in *=*)
	for _, s := range c.Do {
		if choice, ok := s.Cmd.(*syntax.CaseClause); ok {
			if n, ok := number(choice.Word); ok && n == 1 && (best == nil || len(choice.Items) > len(best.Items)) {
				best = choice
			}
		}
	}
	if best != nil {
		w.words(best, "", shifts(c.Do))
		return
	}
	if takes, name := takesEach(c.Do); takes { // while [ $# -gt 0 ]; do … "$1" …; shift; done
		w.takesRest(Position{Name: name, Value: Value{List: true, Line: line(c), From: "shift in a loop"}}, w.shifted)
		return
	}
	fed := w.fed
	w.branch(c.Cond)
	w.fed = w.fed || readsLines(c.Cond)
	w.branch(c.Do)
	w.fed = fed
}

// shifts reports whether a loop shifts, outside of any case in it.
func shifts(do []*syntax.Stmt) bool {
	return slices.ContainsFunc(do, func(s *syntax.Stmt) bool {
		call, ok := s.Cmd.(*syntax.CallExpr)
		return ok && len(call.Args) > 0 && call.Args[0].Lit() == "shift"
	})
}

// takesEach reports whether a loop uses $1 and shifts, and the variable that $1 goes to.
func takesEach(do []*syntax.Stmt) (takes bool, name string) {
	for a := range nodes[*syntax.Assign](do) {
		if at, ok := number(a.Value); ok && at == 1 && a.Name != nil {
			name = a.Name.Value
		}
	}
	return uses(do, "1") && shifts(do), name
}

// each reads for x in "$@", which may parse options, or walks any other loop.
func (w *walker) each(c *syntax.ForClause) {
	items, ok := c.Loop.(*syntax.WordIter)
	if !ok || items.InPos.IsValid() && !(len(items.Items) == 1 && isAll(items.Items[0])) {
		w.uses(c.Loop, "")
		w.branch(c.Do)
		return
	}
	for _, s := range c.Do {
		if choice, ok := s.Cmd.(*syntax.CaseClause); ok {
			if name, ok := parameter(choice.Word); ok && name == items.Name.Value && knowsOptions(choice) {
				w.words(choice, name, true)
				return
			}
		}
	}
	name := items.Name.Value
	w.takesRest(Position{Name: name, Value: Value{List: true, Line: line(c), From: "for " + name + ` in "$@"`}}, w.shifted)
	w.branch(c.Do)
}

// knowsOptions reports whether a case has a pattern for options.
func knowsOptions(c *syntax.CaseClause) bool {
	return slices.ContainsFunc(c.Items, func(item *syntax.CaseItem) bool {
		return slices.ContainsFunc(item.Patterns, func(p *syntax.Word) bool { return strings.HasPrefix(start(p), "-") })
	})
}

// getopts reads the options of a getopts loop and the case that handles them.
func (w *walker) getopts(call *syntax.CallExpr, do []*syntax.Stmt) {
	letters, ok := literal(call.Args[1])
	variable := call.Args[2].Lit()
	if !ok {
		w.doubt(line(call), "the options of getopts are not a literal")
		return
	}
	w.Dashes = true
	w.optionsEnd(len(w.Options) > 0, line(call))
	letters = strings.TrimPrefix(letters, ":")
	for i := 0; i < len(letters); i++ {
		if letters[i] == '-' {
			w.doubt(line(call), "long options by way of getopts")
		}
		if !isName(letters[i:i+1]) || letters[i] == '-' {
			continue
		}
		o := Option{Short: "-" + letters[i:i+1], Takes: strings.HasPrefix(letters[i+1:], ":"),
			Value: Value{Line: line(call), From: "getopts " + letters[i:i+1]}}
		if o.Takes {
			o.From += ":"
		}
		w.add(o)
	}
	for _, s := range do {
		choice, ok := s.Cmd.(*syntax.CaseClause)
		if !ok {
			continue
		}
		if name, ok := parameter(choice.Word); !ok || name != variable {
			continue
		}
		for _, item := range choice.Items {
			for _, pattern := range item.Patterns {
				text, _ := literal(pattern)
				o := w.find("-"+text, "")
				if len(text) != 1 || o == nil {
					continue
				}
				o.Line = line(pattern)
				w.learn(o, item.Stmts, func(word *syntax.Word) bool { name, ok := parameter(word); return ok && name == "OPTARG" })
				if o.List {
					o.Style = Attached
				}
			}
		}
	}
}

// words reads the case of a loop over the arguments. They are in a variable, or in $1. always means
// that the loop shifts by one, whatever the case does.
func (w *walker) words(choice *syntax.CaseClause, variable string, always bool) {
	before := len(w.Options)
	all := w.Options[before:]
	w.optionsEnd(before > 0, line(choice))
	for _, item := range choice.Items {
		var names []Option
		apart := tellsApart(item.Stmts, variable)
		for _, pattern := range item.Patterns {
			text, ok := literal(pattern)
			switch {
			case text == "--" && ok:
				w.Dashes = true
			case text == "*" || pattern.Lit() == "*":
				w.other(item, variable)
			case strings.HasPrefix(start(pattern), "-"):
				o := w.option(start(pattern), !ok || strings.ContainsAny(text, "*?"), item, variable, always, line(pattern))
				if o.name() == "" {
					if !strings.Contains(start(pattern), "=") && keeps(item.Stmts, variable) {
						w.handing = line(pattern)
					}
					continue
				}
				names = join(names, o, func(k Option) bool { // --vers, --versi and --version are one, in any case
					return k.Takes == o.Takes && (k.Long == "" || o.Long == "" || k.Style == o.Style &&
						(!apart || strings.HasPrefix(o.Long, k.Long) || strings.HasPrefix(k.Long, o.Long)))
				})
			}
		}
		for _, o := range names {
			all = join(all, o, func(k Option) bool { // --count and --count=*, or -n and --count that set the same variable
				return k.Long != "" && k.Long == o.Long || k.Short != "" && k.Short == o.Short ||
					k.Variable != "" && k.Variable == o.Variable && k.Takes == o.Takes && k.sets == o.sets &&
						(k.Takes || k.sets != "") && (k.Long == "") != (o.Long == "")
			})
		}
	}
	w.Options = append(w.Options[:before], all...)
}

// keeps reports whether statements add the argument to those that a variable has: cmp="$cmp '$1'", args+=("$1").
func keeps(body []*syntax.Stmt, variable string) bool {
	for a := range nodes[*syntax.Assign](body) {
		if a.Array != nil && len(a.Array.Elems) > 0 && contains(a.Array.Elems[len(a.Array.Elems)-1].Value, variable, "1") ||
			a.Name != nil && contains(a.Value, variable, "1") && (a.Append || contains(a.Value, a.Name.Value)) {
			return true
		}
	}
	return false
}

// join adds an option, or what it says to the one that is the same.
func join(all []Option, o Option, same func(Option) bool) []Option {
	i := slices.IndexFunc(all, same)
	if i < 0 {
		return append(all, o)
	}
	k := &all[i]
	if o.Style == Equals && (k.Long == "" || o.Long == k.Long) {
		k.Style, k.From = Equals, o.From // a single word is unambiguous
	}
	if strings.HasPrefix(o.Long, k.Long) {
		k.Long = o.Long
	}
	k.Short, k.Variable = cmp.Or(k.Short, o.Short), cmp.Or(k.Variable, o.Variable)
	k.more = k.more || o.more
	k.Takes, k.List = k.Takes || o.Takes, k.List || o.List
	if k.Takes && k.Type == "boolean" {
		k.Type = ""
	}
	return all
}

// tellsApart reports whether statements look at the option itself, and not only at its value.
func tellsApart(body []*syntax.Stmt, variable string) bool {
	for node := range nodes[*syntax.CaseClause](body) {
		if contains(node.Word, variable, "1") {
			return true
		}
	}
	for node := range nodes[*syntax.Assign](body) {
		if name, ok := parameter(node.Value); ok && name == variable && variable != "" {
			return true
		}
	}
	return false
}

// option returns the option of a pattern of such a case: -n, --count or --count=*. It has no name if it is none.
func (w *walker) option(
	name string, open bool, item *syntax.CaseItem, variable string, always bool, at int,
) (o Option) {
	name, equals := strings.CutSuffix(strings.TrimSuffix(name, "*"), "=")
	if open && !equals || !isName(name) || strings.Trim(name, "-") == "" {
		return o
	}
	o = optionNamed(name, at)
	isValue := func(word *syntax.Word) bool { n, ok := number(word); return ok && n == 2 }
	switch {
	case equals:
		o.Takes, o.Style, o.From = true, Equals, name+"=*"
		isValue = func(word *syntax.Word) bool { return contains(word, variable, "1") }
	case variable != "" && uses(item.Stmts, "2") || variable == "" && takesNext(item.Stmts, always):
		o.Takes = true
		if !uses(item.Stmts, "2") { // shift; COUNT=$1
			isValue = func(word *syntax.Word) bool { n, ok := number(word); return ok && n == 1 }
		}
	}
	w.learn(&o, item.Stmts, isValue)
	return o
}

// takesNext reports whether the option of a case item uses the next argument.
func takesNext(body []*syntax.Stmt, always bool) bool {
	if uses(body, "2") {
		return true
	}
	shifted, used := 0, false // used: $1 after a shift
	for node := range nodes[syntax.Node](body) {
		switch n := node.(type) {
		case *syntax.CallExpr:
			if words := literals(n.Args); len(words) > 0 && words[0] == "shift" {
				shifted++
				if len(words) > 1 && words[1] == "2" {
					shifted++
				}
			}
		case *syntax.ParamExp:
			used = used || shifted > 0 && n.Param != nil && n.Param.Value == "1"
		}
	}
	return used && (shifted == 2 || always && shifted == 1)
}

// learn finds the variable that an option sets, and what can be concluded from it.
func (w *walker) learn(o *Option, body []*syntax.Stmt, isValue func(*syntax.Word) bool) {
	for a := range nodes[*syntax.Assign](body) {
		if a.Name == nil || o.Variable != "" {
			continue
		}
		switch {
		case !o.Takes && a.Value != nil:
			if o.sets, _ = literal(a.Value); isTrue(o.sets) { // another value does not make it the name of a flag
				o.Variable = a.Name.Value
			}
		case o.Takes && (isValue(a.Value) || contains(a.Value, a.Name.Value) && !hasText(a.Value)): // dirs="$dirs $2"
			o.Variable = a.Name.Value
			o.List = o.List || a.Append || contains(a.Value, o.Variable) && !hasText(a.Value)
		case o.Takes && a.Array != nil:
			for _, e := range a.Array.Elems {
				if isValue(e.Value) {
					o.Variable = a.Name.Value
					o.List = o.List || a.Append || contains(a.Array.Elems[0].Value, o.Variable)
				}
			}
		}
	}
	if !o.Takes {
		o.Type = "boolean"
		o.does = o.Variable != "" && !informing.Get().MatchString(o.Variable) && !ends(body)
	}
	for _, s := range body {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			if len(c.Args) == 0 && len(c.Assigns) == 1 && c.Assigns[0].Name != nil && c.Assigns[0].Name.Value == o.Variable {
				continue
			}
			if len(c.Args) > 0 && slices.Contains([]string{"shift", "continue", ":"}, c.Args[0].Lit()) {
				continue
			}
		}
		o.more = true
	}
}

// informing matches what a script says when it prints help or its version.
var informing = lazyregexp.New(`(?i)help|usage|version|\b(?:exit|die|man|HELP_MESSAGE)\b`)

// isTrue reports whether a value of a variable switches something on.
func isTrue(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "y", "on", "t", "True", "TRUE", "YES", "Y"}, value) ||
		strings.HasPrefix(value, "-")
}

// other reads the case item for arguments that are not options: FILES+=("$1"), FILE=$1, or break.
func (w *walker) other(item *syntax.CaseItem, variable string) {
	for a := range nodes[*syntax.Assign](item.Stmts) {
		if a.Name == nil {
			continue
		}
		list := a.Array != nil
		held := a.Value
		if list && len(a.Array.Elems) > 0 {
			held = a.Array.Elems[len(a.Array.Elems)-1].Value
		}
		if !contains(held, variable, "1") {
			continue
		}
		p := Position{Name: a.Name.Value, Value: Value{Line: line(a), From: "*)"}}
		if p.List = list || a.Append; p.List {
			w.takesRest(p, len(w.positions))
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(w.positions)),
			func(q *Position) bool { return q.Name == p.Name }) {
			p.Required = w.needed[p.Name]
			w.positions[len(w.positions)+1] = &p
		}
	}
}

// add records an option, once.
func (w *walker) add(o Option) {
	if w.find(o.Short, o.Long) == nil {
		w.Options = append(w.Options, o)
	}
}

// choice reads case "$1" in start|stop) …, which lists the values of an argument, or of a variable.
func (w *walker) choice(c *syntax.CaseClause) {
	depth := w.depth
	if patterns(c) == nil && !w.strict {
		w.depth++ // it does not end the script
	}
	w.uses(c.Word, "")
	w.depth = depth
	name, _ := parameter(c.Word)
	if name == "#" {
		for _, item := range c.Items {
			if n, err := strconv.Atoi(item.Patterns[len(item.Patterns)-1].Lit()); err == nil && ends(item.Stmts) { // 0) usage
				w.least = max(w.least, n+1+w.shifted)
			}
		}
	}
	if n, ok := number(c.Word); ok {
		w.choices(c, n+w.shifted)
	} else if name != "" {
		w.enums[name] = patterns(c)
	}
	for n, p := range w.positions {
		if name != "" && p.Name == name {
			w.choices(c, n)
		}
	}
	for _, item := range c.Items {
		w.branch(item.Stmts)
	}
}

// choices records the values of the position at n.
func (w *walker) choices(c *syntax.CaseClause, n int) {
	if at := w.positions[n]; at != nil && len(at.Enum) == 0 {
		at.Enum = patterns(c)
	}
}

// patterns returns the words of a case, if it ends the script for all others.
func patterns(c *syntax.CaseClause) (words []string) {
	closed, open := false, false
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			text, ok := literal(pattern)
			switch {
			case text == "*":
				closed = ends(item.Stmts)
			case !ok || strings.ContainsAny(text, "*?["):
				open = true
			case text != "" && text != "help" && text[0] != '-':
				words = append(words, text)
			}
		}
	}
	if open || !closed {
		return nil
	}
	return words
}

// ifClause reads conditions that end a script, and walks all branches.
func (w *walker) ifClause(c *syntax.IfClause) {
	ending := ends(c.Then)
	if o := comparedOption(c.Cond); o.name() != "" {
		if o.Line = line(c); !ending || !isHelp(o) {
			w.learn(&o, c.Then, func(*syntax.Word) bool { return false })
			if !uses(c.Then, "2") {
				w.add(o)
				w.options = true
			} else {
				w.doubt(line(c), o.From+" and what follows it")
			}
		}
		return
	}
	for _, s := range c.Cond {
		if ending {
			w.guard(s, false)
		}
	}
	depth := w.depth
	if !slices.ContainsFunc(c.Cond, compares) || w.strict {
		w.depth-- // what is asked first always runs
	}
	w.branch(c.Cond)
	w.depth = depth
	if len(c.Cond) == 1 && !ending && (c.Else == nil || c.Else.ThenPos.IsValid() || uses(c.Else.Then, "1")) {
		w.fills(c.Cond[0], false, c.Then)
	}
	w.branch(c.Then)
	if c.Else != nil {
		if c.Else.ThenPos.IsValid() {
			w.ifClause(c.Else)
		} else {
			w.branch(c.Else.Then)
		}
	}
}

// comparedOption returns the option that a condition compares $1 with; it has no name if there is none.
func comparedOption(cond []*syntax.Stmt) (o Option) {
	for _, s := range cond {
		for _, t := range tests(s, false) {
			n, _ := number(t.x)
			text, ok := literal(t.y)
			if t.alone && n == 1 && ok && !t.not && numeric[t.op] == "-eq" && len(text) > 1 && text[0] == '-' && text != "--" &&
				isName(text) {
				o.addName(text)
				o.From = cmp.Or(o.From, text)
			}
		}
	}
	return o
}

// either walks both sides of && and ||. [ -z "$x" ] && usage, and [ $# -ge 2 ] || usage, are guards.
func (w *walker) either(c *syntax.BinaryCmd) {
	piped, then := c.Op == syntax.Pipe || c.Op == syntax.PipeAll, []*syntax.Stmt{c.Y}
	switch {
	case piped:
	case ends(then):
		w.guard(c.X, c.Op == syntax.OrStmt)
	default:
		w.fills(c.X, c.Op == syntax.OrStmt, then)
	}
	depth := w.depth
	if !compares(c.X) || w.strict {
		w.depth-- // the left side always runs
	}
	w.branch([]*syntax.Stmt{c.X})
	if piped {
		w.fed = true
	} else {
		w.depth = depth
	}
	w.branch(then)
	w.depth = depth
}
