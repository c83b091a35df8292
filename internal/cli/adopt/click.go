package adopt

import (
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
	s := spec{Option: Option{Takes: true, Value: Value{Line: p.all[i].line}}}
	for _, a := range p.arguments(i) {
		p.says(&s, a)
		if value, ok := a.scalar(); a.name == "default" && s.Type == "" {
			if s.Type = numberType(value); !ok && (s.on || a.word() == "False") {
				s.Takes = false
			}
		}
	}
	if len(s.names) == 0 || s.names[0] == "" {
		p.unsure(s.Line, "an argument whose name is not a literal")
		return
	}
	s.From = strings.Join(s.names, ", ")
	to := &p.pending.Reading
	if p.all[i].text == "argument" {
		s.finish()
		to.Positions = append(to.Positions, Position{Name: ArgumentName(s.names[0]),
			Required: s.Required || !s.given && !s.optional && s.Default == "", Value: s.Value})
		return
	}
	for n, name := range s.names {
		on, off, two := strings.Cut(name, "/")
		if s.Takes = s.Takes && !two; two && s.on {
			on = strings.TrimSpace(off) // it is on, unless it is told otherwise
		}
		s.names[n] = on
	}
	to.Options = append(to.Options, s.option())
}

// defined ends decorators with their function, whose name is token i.
func (p *calls) defined(i int) {
	c := p.pending
	p.pending = nil
	for end := i; end < len(p.all); end++ {
		if p.all[end].text == ":" {
			if t := p.at(end + 1); t.kind == tokenString {
				c.Help, _, _ = strings.Cut(strings.TrimSpace(t.text), "\n\n")
			}
			break
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
		c.Name = strings.ReplaceAll(strings.TrimSuffix(p.at(i).text, "_command"), "_", "-")
	}
	p.Commands = append(p.Commands, *c)
}
