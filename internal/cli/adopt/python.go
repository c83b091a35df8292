package adopt

import (
	"cmp"
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
	p.Known, p.Description = true, p.docstring(program)
	parsers := 0
	subcommands := 0 // the line
	for i, t := range p.all {
		switch {
		case p.called(i, "ArgumentParser"), p.called(i, "OptionParser"):
			if parsers++; t.text == "ArgumentParser" {
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
			p.defined(p.at(i + 1).text)
		case t.text == "argv" && p.before(i, "."):
			p.argv(i, parsers)
		case t.text == "stdin" && p.before(i, ".") && p.at(i-2).text == "sys":
			p.Stdin = true
		case p.called(i, "input") && !p.before(i, ".") && p.at(i-1).text != "def":
			p.doubt(t.line, "it asks for input(), which nobody answers")
		case p.called(i, "FileInput"), p.at(i-1).text == "fileinput" && p.called(i, "input"):
			p.Stdin = true
		case t.text == "__file__":
			p.Beside = true
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
	case !p.exact && parsers == 0 && elsewhere.Get().Match(text):
		p.Known = false
	case parsers > 1:
		p.doubt(0, "it has several parsers; the arguments of all of them are here")
	}
	if !strings.HasPrefix(string(text), "#!") && !statement.Get().Match(text) {
		p.Idle = "only defines functions or classes, for other scripts to import; adopt those"
	}
	p.once()
	if !p.exact && parsers == 0 {
		p.compare(lines)
	}
	u := p.usage
	if !u.shown {
		u = usageOfScript(lines, program)
	}
	p.settle(u)
	if p.Description == "" {
		p.Description = describe(lines, program, u)
	}
	return p.Reading
}

// statement matches what a module does when it is run: a call, a condition or a loop that is not indented.
var statement = lazyregexp.New(`(?m)^(?:[\w.]+\(|if |for |while |with |try:|raise |` +
	`\w+(?:, *\w+)*\s*=.*\bargv\b|.*__main__)`)

// elsewhere matches a script whose arguments a module reads.
var elsewhere = lazyregexp.New(`(?m)^from [\w.]+ import .*\b(?:main|cli|run|app)\b|` +
	`\b\w+\.(?:cli|main)\(\)|load_entry_point|run_module`)

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

// docstring returns what the docstring says that the script does, in its first or second paragraph. The first is a
// summary in any case, unless it is a title.
func (p *calls) docstring(program string) string {
	t := p.at(0)
	if t.kind != tokenString {
		return ""
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(t.text), "\n\n")
	second, _, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
	for _, paragraph := range []string{first, second} {
		lines := strings.Split(paragraph, "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		if text := described(lines, program); text != "" {
			return text
		}
	}
	if text := strings.Join(strings.Fields(first), " "); strings.HasSuffix(text, ".") && strings.Count(text, " ") > 2 &&
		!other.Get().MatchString(text) && !legal.Get().MatchString(text) {
		return sentence(text)
	}
	return ""
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
			p.Description = described([]string{strings.Join(strings.Fields(text), " ")}, program)
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
	p.Known = false
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
				p.Options = append(p.Options, o)
			}
		}
	}
}

// addArgument reads a call of add_argument.
func (p *calls) addArgument(i int, to *Reading) {
	line := p.all[i].line
	var o Option
	var names []string
	o.Line, o.Type = line, "string"
	required, optional := false, false
	for _, a := range p.arguments(i) {
		text, isText := a.text()
		switch a.name {
		case "":
			if !isText {
				p.doubt(line, "add_argument with a name that is not a literal")
				return
			}
			names = append(names, text)
		case "help":
			o.Help = strings.Join(strings.Fields(text), " ")
			if !isText && a.word() != "SUPPRESS" {
				p.doubt(line, "help that is not a literal")
			}
		case "dest":
			o.Variable = text
		case "type":
			switch word := cmp.Or(text, a.word()); word {
			case "int":
				o.Type = "integer"
			case "float":
				o.Type = "number"
			case "str", "string", "Path", "PurePath", "FileType":
			case "bool": // any text but the empty one is True
				p.doubt(line, "type=bool is true for every text")
			default:
				p.doubt(line, "type="+word+" is treated as a text")
			}
		case "choices":
			var ok bool
			if o.Enum, ok = a.list(); !ok {
				p.doubt(line, "choices that are not literals")
			}
		case "default":
			switch value, ok := a.scalar(); {
			case ok:
				o.Default = value
			case a.word() != "None" && a.word() != "False" && a.word() != "True" && a.word() != "SUPPRESS" && !isEmptyList(a):
				p.doubt(line, "a default that is not a literal")
			}
		case "required":
			required = a.word() == "True"
		case "nargs":
			switch value, _ := a.scalar(); value {
			case "?":
				optional = true
			case "*":
				o.List, optional = true, true
			case "+":
				o.List = true
			case "1":
			default:
				o.List = true
				p.doubt(line, "nargs="+value+" takes a fixed number of values")
			}
		case "action":
			switch text {
			case "store_true", "store_false", "store_const":
				o.Type = "boolean"
			case "append", "extend":
				o.List, o.Style = true, Equals
			case "count":
				o.Type = "boolean"
				p.doubt(line, "an option that counts can be given once")
			case "help", "version":
				return
			case "store":
			default:
				o.Type = "boolean"
				if a.word() != "BooleanOptionalAction" {
					o.Type = "string"
					p.doubt(line, "an action that is not understood")
				}
			}
		}
	}
	o.Help = strings.NewReplacer("%(default)s", o.Default, "%%", "%").Replace(o.Help)
	if len(names) == 0 {
		p.doubt(line, "add_argument without a name")
		return
	}
	if !strings.HasPrefix(names[0], "-") {
		o.From = names[0]
		to.Positions = append(to.Positions, Position{Name: ArgumentName(names[0]), Required: !optional, Value: o.Value})
		return
	}
	for _, name := range names {
		o.addName(name)
	}
	o.Takes = o.Type != "boolean"
	o.Required = required
	o.From = strings.Join(names, ", ")
	if o.Takes && strings.HasPrefix(o.Long, "--") && !(o.List && o.Style == Apart) {
		o.Style = Equals // so a value may begin with a dash
	}
	if o.List && o.Style == Equals && o.Long == "" {
		o.Style = Attached
	}
	if !o.Takes {
		o.Default = ""
	}
	to.Options = append(to.Options, o)
}

func isEmptyList(a argument) bool {
	return len(a.value) == 2 && (a.value[0].text == "[" || a.value[0].text == "(")
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
		case op == "<":
			p.least = max(p.least, n-1)
		case op == "<=":
			p.least = max(p.least, n)
		case op == "!=":
			p.least = max(p.least, n-1)
		case op == ">":
			p.most = append(p.most, n)
		case op == ">=", op == "==":
			p.most = append(p.most, n-1)
		}
		return
	}
	n, err := strconv.Atoi(p.at(i + 2).text)
	switch {
	case p.at(i+1).text != "[" || p.at(i+2).text == "0":
	case err == nil && p.at(i+3).text == "]" && n < 50:
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
	case err == nil && p.at(i+3).text == ":" && p.at(i+4).text == "]":
		if len(p.Positions) == n-1 {
			p.Positions = append(p.Positions,
				Position{Name: "args", Value: Value{List: true, Line: line, From: "sys.argv[" + strconv.Itoa(n) + ":]"}})
		}
	default:
		p.doubt(line, "a use of sys.argv that is not understood")
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
