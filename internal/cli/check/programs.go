package check

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Program is a program that scripts of a project call by name.
type Program struct {
	Name     string
	File     string // the first script that calls it, relative to the root, with slashes
	Line     int
	Optional bool // a script checks whether it is installed
}

// Programs returns the programs that the scripts of the project call and that their #! lines name,
// sorted by name, without what is built into shells or defined by a script of the project. Scripts
// are read, not run, so names that are composed at run time are not found.
func (r Report) Programs() []Program {
	c := r.contents
	calls := newCalls()
	for _, t := range c.tools {
		calls.add(t.Program, c.project.Rel(t.MetadataFile), 1)
	}
	for _, s := range c.scripts {
		name := c.project.Rel(s.path)
		if words, byEnv := interpreterOf(s.text); byEnv && len(words) > 0 && s.started {
			calls.add(words[0], name, 1)
		}
		if s.parsed() {
			calls.learn(s.shell.tree, name)
		}
	}
	return calls.list()
}

// ProgramsOf returns the programs that one shell script calls by name, as [Report.Programs] does.
func ProgramsOf(tree *syntax.File, file string) []Program {
	calls := newCalls()
	calls.learn(tree, file)
	return calls.list()
}

// calls records what scripts call, define and check for.
type calls struct {
	programs map[string]Program
	defined  map[string]bool
	looked   map[string]bool
}

func newCalls() calls {
	return calls{programs: make(map[string]Program), defined: make(map[string]bool), looked: make(map[string]bool)}
}

// learn records what a script calls.
func (c *calls) learn(tree *syntax.File, file string) {
	for node := range syntax.Preorder(tree) {
		switch n := node.(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				c.defined[n.Name.Value] = true
			}
		case *syntax.CallExpr:
			c.call(n.Args, file)
		}
	}
}

// call records the program that a command runs, also by way of built-ins that run another command.
func (c *calls) call(args []*syntax.Word, file string) {
	if len(args) == 0 {
		return
	}
	name := args[0].Lit()
	switch name {
	case "command", "type", "which", "hash":
		if name == "command" && len(args) > 1 && !strings.HasPrefix(args[1].Lit(), "-") {
			c.call(args[1:], file)
			return
		}
		for _, w := range args[1:] {
			c.looked[literal(w)] = true
		}
		return
	case "exec", "builtin":
		c.call(args[1:], file)
		return
	case "env":
		c.add(name, file, int(args[0].Pos().Line()))
		for len(args) > 1 && (strings.HasPrefix(args[1].Lit(), "-") || strings.Contains(literal(args[1]), "=")) {
			args = args[1:]
		}
		c.call(args[1:], file)
		return
	}
	c.add(name, file, int(args[0].Pos().Line()))
}

// add records a call of a program, if the name can be the name of a program.
func (c *calls) add(name, file string, line int) {
	if name == "" || strings.ContainsAny(name, `/\*?[{~=`) || strings.HasPrefix(name, "mcp_") ||
		slices.Contains(builtins, name) {
		return
	}
	if _, known := c.programs[name]; !known {
		c.programs[name] = Program{Name: name, File: file, Line: line}
	}
}

func (c *calls) list() []Program {
	maps.DeleteFunc(c.programs, func(name string, _ Program) bool { return c.defined[name] })
	var all []Program
	for _, name := range slices.Sorted(maps.Keys(c.programs)) {
		p := c.programs[name]
		p.Optional = c.looked[name]
		all = append(all, p)
	}
	return all
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

// builtins are the built-in commands and the keywords of shells.
var builtins = strings.Fields(`: . [ [[ alias bg bind break builtin caller case cd command compgen complete compopt
	continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for
	function getopts hash help history if in jobs kill let local logout mapfile popd print printf pushd pwd read
	readarray readonly return select set shift shopt source suspend test then time times trap true type typeset ulimit
	umask unalias unset until wait whence while`)
