package adopt

import (
	"slices"
	"strings"
)

// decorated reads @click.command, @click.group, or @cli.command("name") of a group.
func (p *calls) decorated(i int) {
	p.exact = true
	p.pending = &Command{}
	if receiver := p.at(i - 2).text; p.all[i].text == "command" && receiver != "click" {
		p.pending.Name = "?" // that of its function
		for _, a := range p.arguments(i) {
			if text, ok := a.text(); ok && (a.name == "" || a.name == "name") {
				p.pending.Name = text
			}
		}
	}
}

// decoration reads @click.option or @click.argument.
func (p *calls) decoration(i int) {
	line := p.all[i].line
	var names []string
	v := Value{Type: "string", Line: line}
	flag, required, positional, given := false, false, p.all[i].text == "argument", false
	for _, a := range p.arguments(i) {
		text, isText := a.text()
		yes := a.word() == "True"
		switch a.name {
		case "":
			names = append(names, text)
		case "help":
			v.Help = strings.Join(strings.Fields(text), " ")
		case "is_flag", "count":
			flag = yes
		case "multiple":
			v.List = yes
		case "required":
			required, given = yes, true
		case "prompt":
			required = yes || isText // nobody answers
		case "nargs":
			v.List = true
			if n, _ := a.scalar(); n != "-1" {
				p.doubt(line, "nargs="+n+" takes a fixed number of values")
			}
		case "default":
			if value, ok := a.scalar(); ok {
				v.Default = value
				v.Type = orString(numberType(value))
			} else if yes || a.word() == "False" {
				flag = true
			}
		case "type":
			switch a.word() {
			case "int", "INT", "IntRange":
				v.Type = "integer"
			case "float", "FLOAT", "FloatRange":
				v.Type = "number"
			case "bool", "BOOL":
				v.Type = "boolean"
			default:
				if at := slices.IndexFunc(a.value,
					func(t token) bool { return t.text == "[" || t.text == "(" && t.kind == tokenSign }); at >= 0 &&
					slices.ContainsFunc(a.value, func(t token) bool { return t.text == "Choice" }) {
					inner := a.value[at:]
					if inner[0].text == "(" {
						inner = inner[1:]
					}
					if end := ending(inner); end > 0 {
						v.Enum, _ = argument{value: inner[:end+1]}.list()
					}
				}
			}
		}
	}
	if len(names) == 0 || names[0] == "" {
		p.doubt(line, "an argument whose name is not a literal")
		return
	}
	v.From = strings.Join(names, ", ")
	to := &p.pending.Reading
	if positional {
		optional := v.Default != "" || v.List
		to.Positions = append(to.Positions,
			Position{Name: ArgumentName(names[0]), Required: required || !given && !optional, Value: v})
		return
	}
	o := Option{Value: v, Takes: !flag, Required: required}
	for _, name := range names {
		on, off, two := strings.Cut(name, "/")
		if o.Takes = o.Takes && !two; two && v.Default == "" && strings.Contains(p.after(i, "default"), "True") {
			on = strings.TrimSpace(off) // it is on, unless it is told otherwise
		}
		if strings.HasPrefix(on, "-") {
			o.addName(on)
		}
	}
	o.finish()
	to.Options = append(to.Options, o)
}

// after returns the text after a name in the arguments of a call.
func (p *calls) after(i int, name string) string {
	for _, a := range p.arguments(i) {
		if a.name == name {
			return a.word()
		}
	}
	return ""
}

// defined ends decorators with the name of their function.
func (p *calls) defined(name string) {
	c := p.pending
	p.pending = nil
	for i, t := range p.all { // its docstring
		if t.text == name && p.at(i-1).text == "def" {
			for end := i; end < len(p.all); end++ {
				if p.all[end].text == ":" && p.at(end+1).kind == tokenString {
					c.Help, _, _ = strings.Cut(strings.TrimSpace(p.at(end+1).text), "\n\n")
				}
				if p.all[end].text == ":" {
					break
				}
			}
		}
	}
	c.Help = strings.Join(strings.Fields(c.Help), " ")
	if c.Name == "" {
		p.Options = append(p.Options, c.Options...)
		p.Positions = append(p.Positions, c.Positions...)
		if p.Description == "" {
			p.Description = c.Help
		}
		return
	}
	if c.Name == "?" {
		c.Name = strings.ReplaceAll(strings.TrimSuffix(name, "_command"), "_", "-")
	}
	p.Commands = append(p.Commands, *c)
}

func orString(kind string) string {
	if kind == "" {
		return "string"
	}
	return kind
}

// finish sets what follows from the other properties of an option of a parser that takes --name=value.
func (o *Option) finish() {
	switch {
	case !o.Takes:
		o.Type, o.Default, o.List, o.Enum, o.Required = "boolean", "", false, nil, false
	case strings.HasPrefix(o.Long, "--"):
		o.Style = Equals
	case o.List:
		o.Style = Attached
	}
	if o.Takes && o.Type == "" {
		o.Type = "string"
	}
}
