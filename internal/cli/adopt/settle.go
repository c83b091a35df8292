package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// settle joins what the code of a script shows with what its usage text says: the usage decides the
// positions, the code the options and the values. Where they disagree, a doubt says so.
func (r *Reading) settle(u usage) {
	given, alone := withoutHelp(u.options), len(r.Options) == 0
	var unnamed, unread, flowing []string
	for _, described := range u.options {
		short, o := r.find(described.Short, ""), r.find("", described.Long)
		switch {
		case o == nil:
			o = short
		case short != nil && short != o && short.Long == "" && o.Short == "" && short.Takes == o.Takes:
			one := *o // the text says that both are one
			one.Short = short.Short
			*short = one
			r.Options = slices.DeleteFunc(r.Options, func(o Option) bool { return o.Long == one.Long && o.Short == "" })
			o = r.find(one.Short, "")
		}
		if o == nil {
			continue
		}
		name := cmp.Or(o.Long, o.Short)
		switch {
		case isHelp(described) && !o.does:
			r.Options = slices.DeleteFunc(r.Options, func(one Option) bool { return cmp.Or(one.Long, one.Short) == name })
			continue
		case described.Takes && !o.Takes:
			r.doubt(described.Line, "its usage text shows a value of "+name+", but its code takes none")
		}
		o.explain(described)
	}
	var read []Option
	for _, o := range r.Options {
		if len(given) > 0 && !r.exact && !o.negates && find(u.options, o.Short, o.Long) == nil {
			unnamed = append(unnamed, cmp.Or(o.Long, o.Short))
		}
	}
	for _, o := range given {
		if r.find(o.Short, o.Long) != nil || r.exact && !alone {
			continue
		}
		if alone && o.flowing && o.listed && !o.coded {
			flowing = append(flowing, cmp.Or(o.Long, o.Short))
			continue
		}
		if !o.coded && o.listed && !r.forwards && (r.Known || !alone) {
			unread = append(unread, cmp.Or(o.Long, o.Short))
		}
		if alone && o.listed || o.coded {
			read = append(read, o)
		}
	}
	if r.Options = append(r.Options, read...); alone && len(given) > 0 {
		r.Dashes = !r.Known
	}
	for _, o := range r.Options {
		if o.either {
			r.doubt(o.Line, cmp.Or(o.Long, o.Short)+" may stand without a value, too, which the tool cannot do")
		}
	}
	r.disagree("its usage text does not name %s", 0, unnamed)
	r.disagree("its usage text names %s, which its code does not show", u.line, unread)
	r.unread = r.unread || len(flowing) > 0
	r.disagree("neither its code nor its documentation says whether these take a value, so give them as words: %s",
		u.line, flowing)
	if u.positions == nil && r.mixed > 0 {
		r.unsure(r.mixed, "it uses all of its arguments here, and some of them by number elsewhere")
	}
	if !u.shown {
		return
	}
	if u.late && r.Dashes && !r.exact && !slices.ContainsFunc(r.Positions, func(p Position) bool { return p.front }) {
		r.doubt(u.line, "its usage line shows arguments before options, but they come behind them here: try it")
	}
	for i := 0; i < min(u.before, len(u.positions)) && !u.positions[i].List; i++ {
		u.positions[i].front = !r.Dashes
	}
	if u.forms {
		r.doubt(u.line, "its usage shows several forms of the command line, of which the tool has the first")
	}
	if u.open {
		r.Known = r.Known && len(r.Positions) > 0
		text := "its usage line is not understood, so it decides nothing"
		if r.exact || !slices.ContainsFunc(r.Positions, func(p Position) bool { return !p.demanded && !p.List }) {
			r.doubt(u.line, text)
		} else {
			r.unsure(u.line, text)
		}
		return
	}
	known := r.Known
	r.Known = r.Known || !r.exact
	if r.told = true; r.exact {
		for i := range min(len(r.Positions), len(u.positions)) {
			r.Positions[i].rename(u.positions[i].Name)
		}
		return
	}
	code := r.Positions
	switch {
	case len(u.positions) == 0 && len(code) > 0:
		r.told = false
		for i := range code {
			code[i].Required = false
		}
		r.doubt(u.line, "its usage line shows no arguments, but its code uses "+code[0].From)
		return
	case len(code) == 0 && len(u.positions) > 0 && known && !r.Stdin:
		r.disagree("its usage line shows %s, but its code uses no arguments", u.line, []string{u.positions[0].Name})
	}
	r.Positions = slices.Clone(u.positions)
	single := singles(code)
	if single > len(u.positions) || single == len(code) && single > 0 && single < singles(u.positions) {
		r.doubt(u.line, fmt.Sprintf("its usage line shows %d arguments, but its code uses %d", len(u.positions), single))
	}
	for i := range r.Positions {
		if i >= len(code) {
			break
		}
		p, c := &r.Positions[i], code[i]
		p.front = p.front || c.front
		switch {
		case p.List && !c.List && c.Type != "":
			p.Type = c.Type
			continue
		case p.List != c.List:
			continue
		case p.Required && !c.Required && !p.List:
			r.doubt(c.Line, "its usage line requires "+p.Name+", but its code does not")
		case !p.Required && c.demanded:
			r.doubt(c.Line, "its usage line shows "+p.Name+" as optional, but its code ends without it")
		}
		if p.From == strings.Join(p.Enum, "|") && !strings.HasPrefix(c.Name, "arg") { // <staging|production> has no name
			p.Name = c.Name
		}
		p.Line, p.From, p.Type = c.Line, c.From, cmp.Or(p.Type, c.Type)
		if p.Enum == nil {
			p.Enum = c.Enum
		}
		if !p.Required {
			p.Default = c.Default
		}
	}
	if n := len(r.Positions); u.optioned && len(r.Options) == 0 && n > 0 && r.handing == 0 {
		if last := &r.Positions[n-1]; last.List {
			last.any = true
			r.doubt(u.line, "its usage line shows options, which are not listed: say in "+last.Name+" which they are")
		} else if known && len(u.options) == 0 { // the text that a program prints lists them
			r.handing = u.line
		}
	}
	if u.stdin {
		r.Stdin = true
	}
}

// singles returns how many positions are not lists.
func singles(all []Position) (n int) {
	for _, p := range all {
		if !p.List {
			n++
		}
	}
	return n
}

// disagree records a doubt about the names that are left, in which %s is for all of them.
func (r *Reading) disagree(text string, line int, names []string) {
	if len(names) > 0 {
		r.doubt(line, fmt.Sprintf(text, strings.Join(names, ", ")))
	}
}

// rename gives a position without a name of its own one.
func (p *Position) rename(name string) {
	if strings.HasPrefix(p.Name, "arg") && name != "" {
		p.Name = name
	}
}

// explain adds what a usage text says of the option.
func (o *Option) explain(described Option) {
	o.Help = cmp.Or(o.Help, described.Help)
	if o.Long == "" {
		o.Variable = cmp.Or(o.Variable, described.Variable)
	}
	if o.Takes {
		o.Type = cmp.Or(o.Type, described.Type)
		if o.Enum == nil {
			o.Enum = described.Enum
		}
	}
}
