package adopt

import (
	"slices"
	"strconv"
	"strings"
)

// ReadPython reads a Python script that takes its arguments with argparse, or from sys.argv. Of the
// calls of add_argument, only names and literal values are understood.
func ReadPython(text []byte) Reading {
	p := python{all: tokens(string(text))}
	p.Known, p.Description = true, p.docstring()
	parsers := 0
	for i := range p.all {
		switch {
		case p.called(i, "ArgumentParser"):
			parsers++
			p.parser(i)
		case p.called(i, "add_argument") && p.before(i, "."):
			p.Dashes = true
			p.addArgument(i)
		case p.called(i, "add_subparsers"):
			p.doubt(p.all[i].line, "subcommands: each wants a tool of its own")
		case p.called(i, "add_mutually_exclusive_group"):
			p.doubt(p.all[i].line, "options that exclude each other: the description should say so")
		case p.called(i, "parse_known_args"):
			p.doubt(p.all[i].line, "it takes arguments that it does not name")
		case p.all[i].text == "argv" && p.before(i, "."):
			p.argv(i, parsers)
		case p.all[i].text == "stdin" && p.before(i, ".") && i > 1 && p.all[i-2].text == "sys":
			p.Stdin = true
		case p.all[i].text == "__file__":
			p.Beside = true
		case p.all[i].kind == tokenName && slices.Contains([]string{"click", "typer", "docopt", "fire", "optparse", "getopt", "absl"}, p.all[i].text) && i > 0 && (p.all[i-1].text == "import" || p.all[i-1].text == "from"):
			p.doubt(p.all[i].line, p.all[i].text+" is not understood, only argparse: try --run-help")
		}
	}
	if parsers > 1 {
		p.doubt(0, "it has several parsers; the arguments of all of them are here")
	}
	p.once()
	return p.Reading
}

type python struct {
	Reading
	all []token
}

func (p *python) at(i int) token {
	if i < 0 || i >= len(p.all) {
		return token{}
	}
	return p.all[i]
}

// called reports whether token i is the name in a call.
func (p *python) called(i int, name string) bool {
	return p.all[i].kind == tokenName && p.all[i].text == name && p.at(i+1).text == "(" && p.at(i+1).kind == tokenSign
}

func (p *python) before(i int, sign string) bool {
	t := p.at(i - 1)
	return t.kind == tokenSign && t.text == sign
}

// docstring returns the first paragraph of the docstring.
func (p *python) docstring() string {
	if t := p.at(0); t.kind == tokenString {
		paragraph, _, _ := strings.Cut(strings.TrimSpace(t.text), "\n\n")
		return strings.Join(strings.Fields(paragraph), " ")
	}
	return ""
}

// A pyArgument is an argument of a call: its name, empty if it is positional, and its tokens.
type pyArgument struct {
	name  string
	value []token
}

// arguments returns the arguments of the call whose name is token i.
func (p *python) arguments(i int) []pyArgument {
	var all []pyArgument
	depth := 0
	var current []token
	flush := func() {
		if len(current) > 0 {
			a := pyArgument{value: current}
			if len(current) > 2 && current[0].kind == tokenName && current[1].text == "=" && current[1].kind == tokenSign && current[2].text != "=" {
				a.name, a.value = current[0].text, current[2:]
			}
			all = append(all, a)
		}
		current = nil
	}
	for _, t := range p.all[i+1:] {
		if t.kind == tokenSign {
			switch t.text {
			case "(", "[", "{":
				if depth++; depth == 1 {
					continue
				}
			case ")", "]", "}":
				if depth--; depth == 0 {
					flush()
					return all
				}
			case ",":
				if depth == 1 {
					flush()
					continue
				}
			}
		}
		current = append(current, t)
	}
	return nil // the call has no end
}

// text returns a string, which may be several adjacent literals.
func (a pyArgument) text() (string, bool) {
	var b strings.Builder
	for _, t := range a.value {
		if t.text == "(" || t.text == ")" {
			if t.kind == tokenSign {
				continue
			}
		}
		if t.kind != tokenString || t.open {
			return "", false
		}
		b.WriteString(t.text)
	}
	return b.String(), len(a.value) > 0
}

// scalar returns a string, a number, True or False as text.
func (a pyArgument) scalar() (string, bool) {
	if text, ok := a.text(); ok {
		return text, true
	}
	switch {
	case len(a.value) == 1 && a.value[0].kind == tokenNumber:
		return a.value[0].text, true
	case len(a.value) == 2 && a.value[0].text == "-" && a.value[1].kind == tokenNumber:
		return "-" + a.value[1].text, true
	}
	return "", false
}

// word returns a name, perhaps with dots: int, pathlib.Path; for a call, the name of the function.
func (a pyArgument) word() string {
	word := ""
	for _, t := range a.value {
		if t.kind != tokenName {
			if t.text == "(" {
				break
			}
			continue
		}
		word = t.text
	}
	return word
}

// list returns the texts of a list or tuple of literals.
func (a pyArgument) list() ([]string, bool) {
	if len(a.value) < 2 || a.value[0].kind != tokenSign || !strings.Contains("[({", a.value[0].text) {
		return nil, false
	}
	var all []string
	for _, t := range a.value[1 : len(a.value)-1] {
		switch {
		case t.kind == tokenString && !t.open, t.kind == tokenNumber:
			all = append(all, t.text)
		case t.text != ",":
			return nil, false
		}
	}
	return all, len(all) > 0
}

// parser reads the arguments of ArgumentParser.
func (p *python) parser(i int) {
	for _, a := range p.arguments(i) {
		if text, ok := a.text(); ok && a.name == "description" {
			p.Description = strings.Join(strings.Fields(text), " ")
		}
		if text, ok := a.text(); ok && a.name == "prefix_chars" && !strings.Contains(text, "-") {
			p.doubt(p.all[i].line, "options that do not begin with -")
		}
		if a.name == "fromfile_prefix_chars" && a.word() != "None" {
			p.Prefixes = "@" // what is usual, where it is not a literal
			if text, ok := a.text(); ok {
				p.Prefixes = text
			}
		}
	}
}

// addArgument reads a call of add_argument.
func (p *python) addArgument(i int) {
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
			switch word := a.word(); word {
			case "int":
				o.Type = "integer"
			case "float":
				o.Type = "number"
			case "str", "Path", "PurePath", "FileType":
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
		p.Positions = append(p.Positions, Position{Name: ArgumentName(names[0]), Required: !optional, Value: o.Value})
		p.Positions[len(p.Positions)-1].From = names[0]
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
	p.Options = append(p.Options, o)
}

func isEmptyList(a pyArgument) bool {
	return len(a.value) == 2 && (a.value[0].text == "[" || a.value[0].text == "(")
}

// argv reads sys.argv[1].
func (p *python) argv(i, parsers int) {
	line := p.all[i].line
	n, err := strconv.Atoi(p.at(i + 2).text)
	switch {
	case parsers > 0:
	case p.at(i+1).text != "[" || p.at(i+2).text == "0":
	case err == nil && p.at(i+3).text == "]" && n < 50:
		for len(p.Positions) < n {
			p.Positions = append(p.Positions, Position{Name: "arg" + strconv.Itoa(len(p.Positions)+1), Required: true})
		}
		at := &p.Positions[n-1]
		if at.Line == 0 {
			at.Value = Value{Line: line, From: "sys.argv[" + strconv.Itoa(n) + "]"}
			from := i - 2 // sys
			if made := p.at(from - 2).text; p.at(from-1).text == "(" && (made == "int" || made == "float") {
				at.Type = map[string]string{"int": "integer", "float": "number"}[made]
				from -= 2
			}
			if p.at(from-1).text == "=" && p.at(from-2).kind == tokenName { // name = sys.argv[1]
				at.Name = ArgumentName(p.at(from - 2).text)
			}
		}
	case err == nil && p.at(i+3).text == ":" && p.at(i+4).text == "]":
		if len(p.Positions) == n-1 {
			p.Positions = append(p.Positions, Position{Name: "args", Value: Value{List: true, Line: line, From: "sys.argv[" + strconv.Itoa(n) + ":]"}})
		}
	default:
		p.doubt(line, "a use of sys.argv that is not understood")
	}
}

// once removes duplicate positions, such as those of several parsers.
func (p *python) once() {
	seen := make(map[string]bool)
	p.Positions = slices.DeleteFunc(p.Positions, func(at Position) bool {
		twice := seen[at.Name]
		seen[at.Name] = true
		return twice
	})
}
