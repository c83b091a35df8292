package adopt

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// readPython reads a Python script that takes its arguments with argparse, optparse, click or docopt, or from
// sys.argv. Only names and literal values are understood.
func readPython(text []byte, program string) Reading {
	p := calls{all: tokens(string(text), "#"), owners: make(map[string]int)}
	lines := strings.Split(string(text), "\n")
	p.fetches(lines)
	p.Known = true
	parsers := 0
	subcommands := 0                  // the line
	imported := make(map[string]bool) // names from other modules, but for those that start other programs
	entered, entrance := "", 0        // the function of another module that it calls, and the line
	for i, t := range p.all {
		switch {
		case t.kind == tokenName && t.text == "import":
			for _, a := range p.arguments(i) {
				for _, part := range a.value { // a.b as c
					imported[part.text] = !oneOf("subprocess asyncio", part.text)
				}
			}
		case p.called(i, "ArgumentParser"), p.called(i, "OptionParser"):
			if parsers++; parsers == 1 && !p.exact {
				p.Positions = nil // what is passed to it
			}
			if t.text == "ArgumentParser" {
				p.exact = true
			} else {
				p.Known = false // what it takes besides options, its usage line says
			}
			p.parser(i, program)
		case (p.called(i, "add_argument") || p.called(i, "add_option")) && p.before(i, "."):
			p.Dashes, p.exact = true, p.exact || t.text == "add_argument"
			p.addArgument(i, p.into(i))
		case p.called(i, "add_subparsers"):
			if subcommands = t.line; len(p.owners) > 0 && p.owned(i) {
				p.doubt(t.line, "subcommands of a subcommand are not understood")
			}
		case p.called(i, "add_parser") && p.before(i, "."):
			p.addParser(i)
		case p.called(i, "add_mutually_exclusive_group"):
			p.doubt(t.line, "options that exclude each other: the description should say so")
			if p.at(i-3).text == "=" { // its options belong to the same parser
				if at, ok := p.owners[p.at(i-2).text]; ok {
					p.owners[p.at(i-4).text] = at
				}
			}
		case p.called(i, "parse_known_args"):
			p.doubt(t.line, "it takes arguments that it does not name")
		case p.at(i-2).text == "@" && (t.text == "command" || t.text == "group") || p.at(i-1).text == "." &&
			p.at(i-3).text == "@" && (t.text == "command" || t.text == "group"):
			p.decorated(i)
		case p.pending != nil && p.before(i, ".") && (p.called(i, "option") || p.called(i, "argument")):
			p.Dashes = true
			p.decoration(i)
		case p.pending != nil && t.text == "def" && t.kind == tokenName:
			p.defined(i + 1)
		case t.text == "argv" && (p.before(i, ".") || imported["argv"] && t.kind == tokenName):
			p.argv(i, parsers)
		case entry.Get().MatchString(t.text) && p.called(i, t.text) && imported[p.at(p.root(i)).text]:
			entered, entrance = t.text, t.line
		case t.text == "stdin" && p.before(i, ".") && p.at(i-2).text == "sys":
			p.Stdin = true
		case p.called(i, "input") && !p.before(i, ".") && p.at(i-1).text != "def":
			p.doubt(t.line, "it asks for input(), which nobody answers")
		case p.called(i, "FileInput"), p.at(i-1).text == "fileinput" && p.called(i, "input"):
			p.Stdin = true
		case t.kind == tokenName && slices.Contains([]string{"typer", "fire", "absl"}, t.text) &&
			(p.at(i-1).text == "import" || p.at(i-1).text == "from"):
			p.Known = false
			p.doubt(t.line, t.text+" is not understood: try --run-help")
		case p.called(i, "getopt"), p.called(i, "gnu_getopt"):
			p.getopt(i)
		case p.called(i, "docopt"):
			p.Known = false // its usage text is all there is
		}
	}
	switch {
	case subcommands > 0 && len(p.Commands) == 0:
		p.doubt(subcommands, "subcommands: each wants a tool of its own")
	case entered != "" && !p.exact && parsers == 0:
		p.unsure(entrance, "it calls "+entered+" of another module, which may read its arguments")
	case parsers > 1:
		p.doubt(0, "it has several parsers; the arguments of all of them are here")
	}
	main := slices.ContainsFunc(p.all, func(t token) bool { return t.text == "__main__" })
	if !main && (program == "__init__.py" || !p.acts(lines)) {
		p.Idle = "only defines functions or classes, for other scripts to import; adopt those"
	}
	p.once()
	if !p.exact && parsers == 0 {
		p.compare(lines)
		if n := len(p.Positions); n > 0 && p.Positions[n-1].any && len(p.Options) == 0 {
			p.doubt(p.Positions[n-1].Line, handedOn)
		}
	}
	u := p.usage
	if !u.shown {
		u = usageOfScript(lines, program)
	}
	if p.settle(u); p.getopts > 0 && !p.told {
		p.unsure(p.getopts, "what it takes behind its options is not read")
	}
	if p.Description == "" {
		p.describe(lines, program, u, p.docstring(program)...)
	}
	return p.Reading
}

// entry matches the names of functions that run a program.
var entry = lazyregexp.New(`(?i)^_?(?:\w*main|run|run_\w+|cli|app|setup|execute\w*|load_entry_point)$`)

// root returns the index of the first name of those with dots between whose last is token i.
func (p *calls) root(i int) int {
	for p.before(i, ".") {
		i -= 2
	}
	return i
}

// acts reports whether a module does more than define something when it is run: it has a call, a loop or a use of argv
// outside of functions and classes.
func (p *calls) acts(lines []string) bool {
	inside, first, depth := false, 0, 0 // the first token of the statement, and the brackets around the next one
	for i, t := range p.all {
		last := p.at(i - 1)
		if last.kind == tokenSign && opening[last.text] != "" {
			depth++
		} else if last.kind == tokenSign && oneOf(") ] }", last.text) {
			depth--
		}
		goesOn := depth > 0 || last.kind == tokenSign && last.text == "="
		if begins := last.line != t.line && !goesOn; t.kind == tokenName && (begins || p.before(i, ";")) {
			if first = i; begins && !strings.ContainsAny(lines[t.line-1][:1], " \t") {
				inside = oneOf("def class async", t.text)
			}
		}
		switch start := p.at(first).text; {
		case inside || oneOf("import from", start):
		case t.text == "argv" && p.at(i+2).text != "0", i == first && oneOf("for while with print", t.text):
			return true
		case p.called(i, t.text) && p.root(i) == first && !oneOf("if elif warnings", start) &&
			!(start == "sys" && p.at(first+2).text == "path"):
			return true
		}
	}
	return false
}

// owned reports whether the receiver of the call at i is the parser of a subcommand.
func (p *calls) owned(i int) bool {
	_, ok := p.owners[p.at(i-2).text]
	return ok
}

// addParser reads a call of add_parser: a subcommand, and the variable that holds its parser.
func (p *calls) addParser(i int) {
	name, help := "", ""
	for _, a := range p.arguments(i) {
		text, ok := a.text()
		switch {
		case a.name == "" && ok && name == "":
			name = text
		case a.name == "help", a.name == "description" && help == "":
			help = text
		case a.name == "parents":
			p.doubt(p.all[i].line, "parents of "+name+" are not read")
		}
	}
	if name == "" {
		p.doubt(p.all[i].line, "a subcommand whose name is not a literal")
		return
	}
	p.command(name, help)
	if p.at(i-3).text == "=" {
		p.owners[p.at(i-4).text] = len(p.Commands) - 1
	}
}

// docstring returns what the first paragraphs of the docstring say that the script does.
func (p *calls) docstring(program string) (all []description) {
	t := p.at(0)
	if strings.HasPrefix(t.text, "exec'") { // for a shell
		t = p.at(1)
	}
	if t.kind == tokenString {
		paragraphs := strings.SplitN(strings.TrimSpace(t.text), "\n\n", 3)
		for _, paragraph := range paragraphs[:min(2, len(paragraphs))] {
			lines := strings.Split(strings.TrimSpace(paragraph), "\n")
			for i := range lines {
				lines[i] = strings.TrimSpace(lines[i])
			}
			d := described(lines, program)
			d.sure = d.sure || strings.HasSuffix(d.text, ".") && len(all) == 0
			all = append(all, d)
		}
	}
	return all
}

// parser reads the arguments of ArgumentParser.
func (p *calls) parser(i int, program string) {
	for n, a := range p.arguments(i) {
		text, ok := p.constant(a)
		switch {
		case ok && (a.name == "usage" || a.name == "" && n == 0 && p.all[i].text == "OptionParser"):
			text = strings.TrimPrefix(strings.TrimPrefix(text, "usage: "), "Usage: ")
			p.usage = readUsage([]textLine{{"usage: " + text, p.all[i].line, true, true}}, program)
		case ok && a.name == "description":
			p.Description = described([]string{strings.Join(strings.Fields(text), " ")}, program).text
		case ok && a.name == "prefix_chars" && !strings.Contains(text, "-"):
			p.doubt(p.all[i].line, "options that do not begin with -")
		case a.name == "fromfile_prefix_chars" && a.word() != "None":
			p.Prefixes = "@" // what is usual, where it is not a literal
			if ok {
				p.Prefixes = text
			}
		}
	}
}

// getopt reads getopt.getopt(sys.argv[1:], "ab:", ["all", "begin="]). What else it takes is unknown.
func (p *calls) getopt(i int) {
	all := p.arguments(i)
	p.Known, p.getopts = false, p.all[i].line
	if len(all) < 2 {
		p.doubt(p.all[i].line, "the options of getopt are not literals")
		return
	}
	letters, _ := p.constant(all[1])
	p.letters(letters, i, false)
	if len(all) > 2 {
		for _, t := range all[2].value {
			if name, takes := strings.CutSuffix(t.text, "="); t.kind == tokenString {
				o := optionNamed("--"+name, t.line)
				o.Takes = takes
				o.finish()
				p.Options = join(p.Options, o, func(k Option) bool { return k.Long == "" && p.paired(k.Short, o.Long) })
			}
		}
	}
}

// paired reports whether two strings stand side by side: opt in ("-c", "--class").
func (p *calls) paired(one, other string) bool {
	for i, t := range p.all {
		if t.text == one && (p.at(i+2).text == other || p.at(i-2).text == other) {
			return true
		}
	}
	return false
}

// addArgument reads a call of add_argument.
func (p *calls) addArgument(i int, to *Reading) {
	s := spec{Option: Option{Takes: true, Value: Value{Line: p.all[i].line}}}
	for _, a := range p.arguments(i) {
		if _, ok := a.text(); a.name == "" && !ok {
			p.unsure(s.Line, p.all[i].text+" with a name that is not a literal")
			return
		}
		p.says(&s, a)
	}
	s.Help = strings.NewReplacer("%(default)s", s.Default, "%%", "%").Replace(s.Help)
	s.From = strings.Join(s.names, ", ")
	switch {
	case len(s.names) == 0:
		p.unsure(s.Line, p.all[i].text+" without a name")
	case s.help:
	case strings.HasPrefix(s.names[0], "-"):
		s.does = slices.Contains(s.names, "--version")
		to.Options = append(to.Options, s.option())
	default:
		s.finish()
		to.Positions = append(to.Positions, Position{Name: ArgumentName(s.names[0]), Required: !s.optional, Value: s.Value})
	}
}

// argv reads sys.argv[1], and conditions of how many there are.
func (p *calls) argv(i, parsers int) {
	line := p.all[i].line
	if parsers > 0 {
		return
	}
	if p.at(i-3).text == "(" && p.at(i-4).text == "len" {
		op := p.at(i + 2).text
		count := p.at(i + 3)
		if count.text == "=" {
			op, count = op+"=", p.at(i+4)
		}
		n, err := strconv.Atoi(count.text)
		switch {
		case err != nil:
		case op == "<", op == "!=":
			p.least = max(p.least, n-1)
		case op == "<=":
			p.least = max(p.least, n)
		case op == ">":
			p.most = append(p.most, n)
		case op == ">=", op == "==":
			p.most = append(p.most, n-1)
		}
		return
	}
	n, err := strconv.Atoi(p.at(i + 2).text)
	switch next := p.at(i + 1).text; {
	case next == "[" && p.at(i+2).text == "0" && p.at(i+3).text == "]", next == "=" && p.at(i+2).text != "=":
	case next == "[" && err == nil && p.at(i+3).text == "]" && n < 50:
		for len(p.Positions) < n {
			p.Positions = append(p.Positions, Position{Name: "arg" + strconv.Itoa(len(p.Positions)+1), Required: true})
		}
		at := &p.Positions[n-1]
		if at.Line > 0 {
			return
		}
		at.Value = Value{Line: line, From: "sys.argv[" + strconv.Itoa(n) + "]"}
		from, after := i-2, i+4 // sys
		if made := p.at(from - 2).text; p.at(from-1).text == "(" && (made == "int" || made == "float") {
			at.Type = map[string]string{"int": "integer", "float": "number"}[made]
			from -= 2
			after++
		}
		if p.at(from-1).text == "=" && p.at(from-2).kind == tokenName { // name = sys.argv[1]
			at.Name = ArgumentName(p.at(from - 2).text)
		}
		if p.at(after).text == "if" { // if len(sys.argv) > 1 else 10
			at.Required = false
			for j := after; j < after+14; j++ {
				if value := p.at(j + 1); p.at(j).text == "else" && p.at(j+2).line != value.line &&
					(value.kind == tokenString || value.kind == tokenNumber) && !value.open {
					at.Default = value.text
				}
			}
		}
	case next == "[" && err == nil && p.at(i+3).text == ":" && p.at(i+4).text == "]" && len(p.Positions) == n-1,
		(next == ")" || next == "," || p.at(i-3).text == "in" && next == ":") && len(p.Positions) == 0:
		handed := next == ")" || next == "," || p.at(i+5).text == ")" // to a function
		p.Positions = append(p.Positions,
			Position{Name: "args", any: handed, Value: Value{List: true, Line: line, From: "sys.argv"}})
	case next != "[" || p.at(i+3).text != ":":
		p.unsure(line, "a use of sys.argv that is not understood")
	}
}

// once removes duplicate positions, such as those of several parsers, and applies the conditions of argv.
func (p *calls) once() {
	for i := range p.Positions {
		at := &p.Positions[i]
		switch {
		case p.exact || at.List:
			at.Required = at.Required || at.List && !p.exact && p.least > i
		case i < p.least:
			at.Required, at.demanded = true, true
		case p.least > 0 || slices.ContainsFunc(p.most, func(n int) bool { return n <= i+1 }):
			at.Required = false
		}
	}
	seen := make(map[string]bool)
	p.Positions = slices.DeleteFunc(p.Positions, func(at Position) bool {
		twice := seen[at.Name]
		seen[at.Name] = true
		return twice
	})
}
