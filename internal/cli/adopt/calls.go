package adopt

import (
	"strings"
)

// calls are the tokens of a script whose calls say what it takes, and what they say.
type calls struct {
	Reading
	all     []token
	usage   usage          // that a call has
	owners  map[string]int // the variables that hold the parsers of subcommands, and their places in Commands
	pending *Command       // of decorators whose function follows
	least   int            // how many arguments argv must have
	getopts int            // the line of getopt; 0 for none
	most    []int          // the numbers that it tests for more
}

func (p *calls) at(i int) token {
	if i < 0 || i >= len(p.all) {
		return token{}
	}
	return p.all[i]
}

// called reports whether token i is the name in a call.
func (p *calls) called(i int, name string) bool {
	return p.all[i].kind == tokenName && p.all[i].text == name && p.at(i+1).text == "(" && p.at(i+1).kind == tokenSign
}

func (p *calls) before(i int, sign string) bool {
	t := p.at(i - 1)
	return t.kind == tokenSign && t.text == sign
}

// An argument is an argument of a call: its name, empty if it is positional, and its tokens.
type argument struct {
	name  string
	value []token
}

// arguments returns the arguments of the call whose name is token i. Without parentheses, they are on its line,
// and on those that follow a comma.
func (p *calls) arguments(i int) []argument {
	rest := p.all[i+1:]
	if t := p.at(i + 1); t.text == "(" && t.kind == tokenSign {
		if end := ending(rest); end > 0 {
			return split(rest[1:end])
		}
		return nil // the call has no end
	}
	end := 0
	for end < len(rest) && (rest[end].line == p.at(i+end).line || p.at(i+end).text == ",") && rest[end].text != ";" &&
		rest[end].text != "do" {
		end++
	}
	return split(rest[:end])
}

// ending returns the index of the bracket that closes the first one, or 0.
func ending(all []token) int {
	depth := 0
	for i, t := range all {
		if t.kind != tokenSign {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// split returns what stands between commas: values, or names with values after = or a colon.
func split(all []token) (parts []argument) {
	from := 0
	for i := 0; i <= len(all); i++ {
		if i < len(all) {
			if all[i].kind == tokenSign && opening[all[i].text] != "" {
				i += ending(all[i:])
				continue
			}
			if all[i].kind != tokenSign || all[i].text != "," {
				continue
			}
		}
		if one := all[from:i]; len(one) > 0 {
			a := argument{value: one}
			if len(one) > 2 && one[0].kind != tokenSign && one[1].kind == tokenSign &&
				(one[1].text == ":" || one[1].text == "=" && one[0].kind == tokenName && one[2].text != "=" && one[2].text != ">") {
				a.name, a.value = one[0].text, one[2:]
			}
			parts = append(parts, a)
		}
		from = i + 1
	}
	return parts
}

// fields returns the members of an object: { alias: 'n', type: 'string' }.
func (a argument) fields() map[string]argument {
	all := make(map[string]argument)
	if len(a.value) > 1 && a.value[0].text == "{" && a.value[0].kind == tokenSign {
		if end := ending(a.value); end > 0 {
			for _, f := range split(a.value[1:end]) {
				all[f.name] = f
			}
		}
	}
	return all
}

// into returns the reading that the call of a receiver at token i adds to: that of a subcommand, or of all.
func (p *calls) into(i int) *Reading {
	if at, ok := p.owners[p.at(i-2).text]; ok && p.before(i, ".") {
		return &p.Commands[at].Reading
	}
	if p.pending != nil {
		return &p.pending.Reading
	}
	return &p.Reading
}

// command adds a subcommand.
func (p *calls) command(name, help string) {
	p.Commands = append(p.Commands, Command{Name: name, Help: strings.Join(strings.Fields(help), " ")})
}

// text returns a string, which may be several adjacent literals.
func (a argument) text() (string, bool) {
	var b strings.Builder
	for i, t := range a.value {
		if i == 0 && (t.text == "_" || t.text == "gettext") && t.kind == tokenName { // a translation
			continue
		}
		if t.kind == tokenSign && (t.text == "(" || t.text == ")") {
			continue
		}
		if t.kind != tokenString || t.open {
			return "", false
		}
		b.WriteString(t.text)
	}
	return b.String(), len(a.value) > 0
}

// constant returns a string, or that of the variable that the argument is.
func (p *calls) constant(a argument) (string, bool) {
	if len(a.value) == 1 && a.value[0].kind == tokenName {
		for i := range p.all {
			if p.all[i].text == a.value[0].text && p.at(i+1).text == "=" && p.at(i+2).kind == tokenString {
				return p.at(i + 2).text, !p.at(i + 2).open
			}
		}
	}
	return a.text()
}

// scalar returns a string, a number, True or False as text.
func (a argument) scalar() (string, bool) {
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
func (a argument) word() string {
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
func (a argument) list() ([]string, bool) {
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
