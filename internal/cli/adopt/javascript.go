package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// javascript reads a call of commander, yargs, meow or parseArgs. current is the subcommand whose chain of
// calls it is in; the result is that of the next call.
func (p *calls) javascript(i int, current, program string) string {
	t := p.all[i]
	all := p.arguments(i)
	var said [2]string
	var last argument
	for n, a := range all {
		if last = a; n < len(said) {
			said[n], _ = a.text()
		}
	}
	first, second := said[0], said[1]
	to := &p.Reading
	if n := len(p.Commands); current != "" && n > 0 {
		to = &p.Commands[n-1].Reading
	}
	chained := p.before(i, ".")
	switch {
	case (t.text == "option" || t.text == "requiredOption") && chained && strings.HasPrefix(first, "-"),
		t.text == "Option" && strings.HasPrefix(first, "-"):
		p.exact = true
		p.commander(to, t, all, first, second)
	case chained && (t.text == "argument" || t.text == "arguments") && first != "":
		p.exact = true
		if strings.Trim(first, nameLetters) == "" {
			first = "<" + first + ">"
		}
		for _, at := range readSynopsis("PROG "+first, "", t.line).positions {
			if t.text == "argument" {
				at.Help = second
			}
			to.Positions = append(to.Positions, at)
		}
	case chained && t.text == "command" && first != "" && !strings.HasPrefix(first, "$0") && first != "*":
		p.exact = true
		s := readSynopsis("PROG "+strings.ReplaceAll(strings.ReplaceAll(first, "..]", "...]"), "..>", "...>"), "", t.line)
		if len(s.positions) > 0 {
			p.command(s.positions[0].From, second)
			p.Commands[len(p.Commands)-1].Positions = s.positions[1:]
		}
		return first
	case chained && t.text == "description" && current != "":
		p.Commands[len(p.Commands)-1].Help = first
	case chained && (t.text == "option" || t.text == "positional") && first != "":
		p.yargs(to, t, first, last.fields())
	case chained && t.text == "options" && len(all) == 1:
		for name, f := range last.fields() {
			p.yargs(to, t, name, f.fields())
		}
		slices.SortFunc(to.Options, func(a, b Option) int { return cmp.Compare(a.Long, b.Long) })
	case chained && t.text == "usage" && first != "":
		text := strings.TrimPrefix(strings.TrimPrefix(first, "usage: "), "Usage: ")
		if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "<") {
			text = "PROG " + text
		}
		p.usage = readUsage([]textLine{{"usage: " + text, t.line, true, true}}, program)
	case t.text == "parseArgs" && len(all) == 1:
		config := last.fields()
		p.flags(to, p.object(config["options"], "options"), t.line, func(name string) string { return name })
		p.exact = len(to.Options) > 0 && config["allowPositionals"].word() != "true"
		if config["allowPositionals"].word() == "true" {
			p.Known = false
		}
	case t.text == "meow" && len(all) > 0:
		p.flags(to, p.object(last.fields()["flags"], "flags"), t.line, kebab)
		p.Known = false
	}
	return current
}

// object returns the members of an object, or those of the constant with a name that stands for it.
func (p *calls) object(a argument, name string) map[string]argument {
	if len(a.value) > 1 {
		return a.fields()
	}
	if len(a.value) == 1 {
		name = a.value[0].text
	}
	for i, t := range p.all {
		if t.text == name && p.at(i+1).text == "=" && p.at(i+2).text == "{" {
			return argument{value: p.all[i+2:]}.fields()
		}
	}
	return nil
}

// commander reads .option('-p, --port <n>', 'where it listens', parseInt, 80).
func (p *calls) commander(to *Reading, t token, all []argument, names, help string) {
	o := optionOf(names, t.line)
	if strings.Contains(names, "[") && !strings.HasSuffix(names, "...]") { // a value that may be left out
		o = optionOf(strings.NewReplacer("[", "<", "]", ">").Replace(names), t.line)
	}
	if o.name() == "" || isHelp(o) {
		return
	}
	o.Help, o.List = help, strings.Contains(names, "...")
	for _, a := range all[min(2, len(all)):] {
		switch value, ok := a.scalar(); {
		case types[a.word()] != "":
			o.Type = types[a.word()]
		case ok && o.Takes:
			o.Default = value
		}
	}
	if o.Type == "" && o.Default != "" {
		o.Type = numberType(o.Default)
	}
	o.Required = t.text == "requiredOption"
	o.row = o.List
	o.finish()
	to.Options = append(to.Options, o)
}

// yargs reads .option('port', {alias: 'p', type: 'number', demandOption: true}), and .positional.
func (p *calls) yargs(to *Reading, t token, name string, f map[string]argument) {
	s := spec{Option: Option{Takes: true, Value: Value{Line: t.line, From: name}}}
	p.saysAll(&s, f)
	if t.text == "positional" {
		for i := range to.Positions {
			if at := &to.Positions[i]; at.Name == ArgumentName(name) {
				s.List = at.List
				s.finish()
				at.Value = s.Value
			}
		}
		return
	}
	if d := f["default"].word(); s.Type == "" && (d == "true" || d == "false") {
		s.Takes = false
	}
	if s.on && !s.Takes {
		name = "no-" + name
	}
	if s.Takes && s.Type == "" && len(f["type"].value) == 0 && !s.List {
		p.doubt(t.line, "the type of --"+name+" is not said, so it takes a value")
	}
	s.names = []string{"--" + name}
	to.Options = append(to.Options, s.option())
}

// saysAll adds what the members of an object say, in one order.
func (p *calls) saysAll(s *spec, f map[string]argument) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		p.says(s, f[name])
	}
}

// flags reads { name: { type: 'string', short: 'n', multiple: true, default: 'x' } }.
func (p *calls) flags(to *Reading, all map[string]argument, line int, spelt func(string) string) {
	for name, flag := range all {
		s := spec{Option: Option{Takes: true, Value: Value{Line: line, From: name}}, names: []string{"--" + spelt(name)}}
		if len(flag.value) > 0 {
			s.Line = flag.value[0].line
		}
		p.saysAll(&s, flag.fields())
		to.Options = append(to.Options, s.option())
	}
	slices.SortFunc(to.Options, func(a, b Option) int { return cmp.Or(a.Line-b.Line, cmp.Compare(a.Long, b.Long)) })
}

// kebab returns dryRun as dry-run.
func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
