package adopt

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

// readShell reads a shell script.
func readShell(text []byte, program string) Reading {
	lines := strings.Split(string(text), "\n")
	described := usageOfScript(lines, program)
	r := Reading{Known: true, Passes: true}
	r.locates(lines)
	r.describe(lines, program, described)
	tree, err := shellfile.ParseShell(text, syntax.LangBash)
	if err != nil {
		at, why := 1, err.Error()
		if fault, ok := errors.AsType[syntax.ParseError](err); ok {
			at, why = int(fault.Pos.Line()), fault.Text
		}
		r.doubt(at, "it cannot be parsed, so only its usage text is used: "+why)
		r.Known = false
		r.settle(described)
		return r
	}
	w := walker{Reading: &r, functions: make(map[string]*syntax.FuncDecl), positions: make(map[int]*Position),
		set: make(map[string]bool), constants: make(map[string]string), numbers: make(map[string]bool),
		needed: make(map[string]bool), optional: make(map[int]bool), demanded: make(map[int]bool),
		elsewhere: make(map[string]bool), tested: make(map[string]bool),
		filled: make(map[string]bool), enums: make(map[string][]string),
		bash: isBash(text)}
	handed := make(map[string]bool) // functions that get all of the arguments
	for c := range nodes[*syntax.CallExpr](tree.Stmts) {
		if len(c.Args) == 2 && isAll(c.Args[1]) {
			handed[c.Args[0].Lit()] = true
		}
	}
	for node := range syntax.Preorder(tree) {
		f, ok := node.(*syntax.FuncDecl)
		if ok && f.End().After(w.function) {
			w.function = f.End()
		}
		if ok && f.Name != nil && !handed[f.Name.Value] && f.End().After(w.within) {
			w.within = f.End()
		}
		w.survey(node)
	}
	if !w.sources { // otherwise what it calls and reads may be defined elsewhere
		r.programs = check.ProgramsOf(tree, program)
	}
	for _, v := range w.reads {
		if asked, set := w.set[v.name]; !asked &&
			(!set && (!w.sources || w.tested[v.name]) || slices.Contains(w.early, v.name)) {
			r.reads(v.name, v.line)
		}
	}
	if !slices.ContainsFunc(tree.Stmts, acts) {
		r.Idle = "only defines functions or variables, for other scripts to source; adopt those"
	}
	w.stmts(tree.Stmts)
	w.finish()
	switch n := len(r.Positions); {
	case described.shown || r.mixed > 0 || r.Dashes:
	case w.handed > 0 && n > 0 && r.Positions[n-1].List:
		r.Positions[n-1].any = true
		r.doubt(w.handed, handedOn)
	case w.sources && n+len(r.Options) == 0 && !r.Stdin:
		r.unsure(0, "it runs another file as a part of itself, which may read its arguments")
	}
	if r.settle(described); w.filesOr && !(described.shown && len(described.positions) > 0) {
		r.Stdin = true
	}
	return r
}

// acts reports whether a statement does more than define something.
func acts(s *syntax.Stmt) (does bool) {
	syntax.Walk(s, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.FuncDecl, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Redirect:
			does = does || !slices.Contains([]string{"/dev/null", "1", "2"}, n.Word.Lit())
		case *syntax.CallExpr:
			does = does || len(n.Args) > 0 && !slices.Contains(defining, n.Args[0].Lit())
		case *syntax.WhileClause, *syntax.Subshell:
			does = true
		}
		return !does
	})
	return does
}

// defining are commands that do nothing but for what follows them in a script.
var defining = strings.Fields("set shopt return export alias unalias unset local typeset declare readonly " +
	"command type autoload setopt [ test : true false")

// A walker walks a script in the order in which it runs and records how it uses its
// arguments. A function is walked where it is called with all of them: main "$@".
type walker struct {
	*Reading
	functions map[string]*syntax.FuncDecl
	inside    []string // the functions that it is in

	shifted   int               // how many arguments have been shifted
	positions map[int]*Position // by number
	demanded  map[int]bool      // required positions: the script ends without them
	optional  map[int]bool      // positions that the script tests for
	rest      *Position         // all arguments after the first few
	restFrom  int               // how many those are
	least     int               // the minimum number that the script checks for; 0: none

	halves    []string          // options of getopt(1) whose value may be left out
	front     int               // how many arguments come before the options
	loops     bool              // the script has a loop over its options
	options   bool              // they have been read, so $# counts what is left
	constants map[string]string // of variables
	numbers   map[string]bool   // variables that are compared as numbers
	needed    map[string]bool   // variables without which the script ends
	strict    bool              // set -u: unset variables are errors

	depth     int                 // of branches that may not run
	fed       bool                // what is walked reads from a pipe or a file
	filled    map[string]bool     // variables that get a value if they have none
	enums     map[string][]string // the values of variables that are not refused
	reads     []variable          // variables that it uses
	set       map[string]bool     // variables that it sets; whether to what it reads or goes through
	early     []string            // those that it asks for before it sets them
	function  syntax.Pos          // the end of a function, which runs later
	elsewhere map[string]bool     // variables that get something else than an argument, too
	tested    map[string]bool     // those that it asks for whether they are empty
	arguments []string            // those that it sets to an argument
	sources   bool                // it runs another file as a part of itself
	bash      bool                // which bash also looks for in the folder that it is started in
	within    syntax.Pos          // the end of a function with arguments of its own, while those are surveyed
	filesOr   bool                // it reads the files that are named, or else its standard input
	counting  bool                // it asks how many arguments there are
	runs      bool                // a function runs the words that it gets
	handed    int                 // the line where another program gets all of its arguments; 0 for none
}

// survey records what does not depend on the order of the script.
func (w *walker) survey(node syntax.Node) {
	switch n := node.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			w.functions[n.Name.Value] = n
		}
	case *syntax.WhileClause:
		for _, s := range n.Do {
			if _, ok := s.Cmd.(*syntax.CaseClause); ok {
				w.loops = true
			}
		}
	case *syntax.ParamExp:
		if n.Param == nil {
			return
		}
		w.counting = w.counting || n.Param.Value == "#" && !w.loops
		w.reads = append(w.reads, variable{n.Param.Value, line(n)})
		if _, set := w.set[n.Param.Value]; !set && !w.sources && !w.function.After(n.Pos()) &&
			(n.Exp != nil || w.tested[n.Param.Value]) {
			w.early = append(w.early, n.Param.Value)
		}
		if n.Exp == nil {
			return
		}
		switch n.Exp.Op {
		case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
			if numberType(n.Param.Value) == "" {
				w.needed[n.Param.Value] = true
			}
		}
	case *syntax.Stmt:
		for _, t := range tests(n, false) {
			if t.y != nil && opposite[t.op] != "" {
				w.number(t.x)
				w.number(t.y)
			}
			if name, ok := parameter(t.x); ok && t.y == nil {
				w.tested[name] = true
			}
			if text, ok := literal(t.y); ok && strings.HasPrefix(text, "-") && isName(text) && w.isArgument(t.x) {
				w.compares(text, line(n))
			}
		}
	case *syntax.CaseClause:
		if !w.isArgument(n.Word) {
			return
		}
		for _, item := range n.Items {
			for _, pattern := range item.Patterns {
				if text := start(pattern); strings.HasPrefix(text, "-") {
					w.compares(text, line(pattern))
				}
			}
		}
	case *syntax.Assign:
		if n.Name != nil {
			if _, set := w.set[n.Name.Value]; !set && !contains(n.Value, n.Name.Value) { // or else after that
				w.set[n.Name.Value] = false
			}
			text, ok := literal(n.Value)
			switch name := n.Name.Value; {
			case w.isArgument(n.Value):
				w.arguments = append(w.arguments, name)
			case !contains(n.Value, name, "2") && !contains(n.Value, "OPTARG", "optarg") && (!ok || text != ""):
				w.elsewhere[name] = true
			}
		}
	case *syntax.WordIter:
		w.set[n.Name.Value] = true
		if !n.InPos.IsValid() || len(n.Items) == 1 && isAll(n.Items[0]) {
			w.arguments = append(w.arguments, n.Name.Value)
		}
	case *syntax.CallExpr:
		words := literals(n.Args)
		if len(words) == 0 {
			return
		}
		w.runs = w.runs || isAll(n.Args[0]) && w.function.After(n.Pos())
		switch words[0] {
		case "set":
			w.strict = w.strict || unset.Get().MatchString(strings.Join(words, " "))
		case "getopt":
			for _, m := range halved.Get().FindAllStringSubmatch(strings.Join(words, ","), -1) {
				w.halves = append(w.halves, m[1], m[2])
			}
		case "read", "getopts", "printf", "mapfile", "readarray":
			for _, word := range words[1:] {
				w.set[word] = true
			}
		case ".", "source":
			if w.sources = true; !w.bash && len(words) > 1 && words[1] != "" && !strings.Contains(words[1], "/") {
				r := check.Program{Name: words[1], Line: line(n)} // which is looked up on the PATH
				w.programs = append(w.programs, r)
			}
		}
	}
}

// halved matches an option in the words of getopt(1) whose value may be left out, in a list or behind other letters.
var halved = lazyregexp.New(`([\w-]*(\w))::`)

// unset matches a command set for which unset variables are errors.
var unset = lazyregexp.New(` -(?:\w*u|\w*o nounset\b)`)

// isArgument reports whether a word has the first argument, or one of all of them.
func (w *walker) isArgument(word *syntax.Word) bool {
	return word != nil && !w.within.After(word.Pos()) && contains(word, append(w.arguments, "1")...)
}

func (w *walker) number(word *syntax.Word) {
	if name, ok := parameter(word); ok {
		w.numbers[name] = true
	}
}

func (w *walker) stmts(all []*syntax.Stmt) {
	for _, s := range all {
		w.stmt(s)
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	fed := w.fed
	defer func() { w.fed = fed }()
	for _, r := range s.Redirs {
		w.fed = w.fed ||
			slices.Contains([]syntax.RedirOperator{syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc,
				syntax.DplIn}, r.Op)
		w.uses(r.Word, "")
		if r.Hdoc != nil {
			w.uses(r.Hdoc, "")
		}
	}
	for _, t := range tests(s, false) {
		if n, ok := number(t.x); ok && t.y == nil && (t.op == "-n" || t.op == "-z") {
			w.optional[n+w.shifted] = true
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.FuncDecl: // walked where it is called
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			w.assign(a)
		}
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.stmts(c.Stmts)
	case *syntax.BinaryCmd:
		w.either(c)
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.WhileClause:
		w.loop(c)
	case *syntax.ForClause:
		w.each(c)
	case *syntax.CaseClause:
		w.choice(c)
	case nil:
	default:
		w.uses(c, "")
	}
}

// branch walks statements that may not run: their shifts only count inside.
func (w *walker) branch(all []*syntax.Stmt) {
	shifted := w.shifted
	w.depth++
	w.stmts(all)
	w.depth--
	w.shifted = shifted
}

func (w *walker) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a)
		}
		return
	}
	words := literals(c.Args)
	switch name := words[0]; {
	case name == "shift":
		w.shift(c)
	case name == "set" && len(c.Args) > 2 && words[1] == "--":
		for _, arg := range c.Args[2:] {
			if !w.options || !isArray(arg) { // not the array in which an option loop has collected arguments
				w.doubt(line(c), "set -- changes the arguments")
			}
			w.uses(arg, "")
		}
	case name == "getopts":
	case w.functions[name] != nil && len(c.Args) == 2 && isAll(c.Args[1]):
		if !slices.Contains(w.inside, name) {
			w.inside = append(w.inside, name)
			shifted := w.shifted
			w.stmt(w.functions[name].Body)
			w.shifted = shifted
			w.inside = w.inside[:len(w.inside)-1]
		}
	default:
		w.filter(c, words)
		for _, a := range c.Assigns {
			w.uses(a, "")
		}
		for _, arg := range c.Args {
			w.uses(arg, "")
			if !isAll(arg) || w.functions[name] != nil && !w.runs || slices.Contains(defining, name) ||
				oneOf("echo printf", name) {
				continue
			}
			w.forwards = true
			if _, reads := filters[name]; !reads { // what is for them is the name of a file
				w.handed = line(c)
			}
		}
	}
}

// shift reads shift, shift 2, or shift $((OPTIND-1)), which shifts the options.
func (w *walker) shift(c *syntax.CallExpr) {
	if len(c.Args) == 1 {
		w.shifted++
		return
	}
	if n, err := strconv.Atoi(c.Args[1].Lit()); err == nil && n >= 0 && n < 100 {
		w.shifted += n
		return
	}
	for node := range syntax.Preorder(c.Args[1]) {
		if l, ok := node.(*syntax.Lit); ok && l.Value == "OPTIND" { // also the name in $OPTIND
			w.shifted = w.front
			return
		}
	}
	w.doubt(line(c), "shift by a number that is not a literal")
}
