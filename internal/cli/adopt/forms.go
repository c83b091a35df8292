package adopt

import (
	"cmp"
	"slices"
	"strings"
)

// join makes one of several forms of the command line. What only some of them show is optional.
func (u *usage) join(forms []synopsis) {
	if len(forms) == 0 {
		return
	}
	u.synopsis = forms[0]
	others := forms[1:]
	if u.commands(forms) {
		others = slices.DeleteFunc(others, func(f synopsis) bool { return !f.selects() })
	}
	for _, f := range others {
		if f.selected && !u.selected {
			others := len(withoutHelp(f.options)) > 0
			u.forms = u.forms || others
			for i := range u.positions { // required is what all forms show, perhaps as --args FILTER
				p := &u.positions[i]
				p.Required = p.Required && (!others || strings.Contains(f.text, p.From))
			}
			for _, o := range f.options {
				if !o.Takes {
					u.synopsis.options = append(u.synopsis.options, o)
				}
			}
			continue
		}
		u.open = u.open || f.open
		u.stdin = u.stdin || f.stdin
		u.synopsis.options = append(u.synopsis.options, f.options...)
		for i := range max(len(f.positions), len(u.positions)) {
			switch {
			case i >= len(f.positions):
				u.positions[i].Required = false
			case i >= len(u.positions):
				p := f.positions[i]
				p.Required = false
				u.positions = append(u.positions, p)
			case u.positions[i].Name == f.positions[i].Name:
				u.positions[i].List = u.positions[i].List || f.positions[i].List
				u.positions[i].Required = u.positions[i].Required && f.positions[i].Required
			default: // different forms, which a list of positions cannot tell
				u.positions, u.open = nil, true
				return
			}
		}
	}
	for i := range u.synopsis.options {
		o := u.synopsis.options[i]
		o.listed = true
		known := find(u.options, o.Short, o.Long)
		if known == nil {
			u.options = append(u.options, o)
			continue
		}
		known.listed, known.Required = true, known.Required || o.Required && known.Takes
		known.Takes = known.Takes || o.Takes && !o.Required
		known.Variable = cmp.Or(known.Variable, o.Variable)
		if known.Enum == nil {
			known.Enum = o.Enum
		}
	}
}

// commands reads forms that differ in a word, which are the commands of the program: what stands before it is the same
// for all, and what follows them is the same, or else a list.
func (u *usage) commands(forms []synopsis) bool {
	at, same, all := 0, true, []Option(nil)
	equal := func(a, b Position) bool { return a.Name == b.Name && a.Required == b.Required }
	var names, texts []string
	var kept []synopsis
	for i, f := range forms {
		if i > 0 && f.selects() {
			continue
		}
		if f.open || len(f.positions) == 0 {
			return false
		}
		kept = append(kept, f)
	}
	for slices.IndexFunc(kept, func(f synopsis) bool {
		return len(f.positions) <= at+1 || f.positions[at].isFixed() || !equal(f.positions[at], kept[0].positions[at])
	}) < 0 {
		at++
	}
	for _, f := range kept {
		if !f.positions[at].isFixed() {
			return false
		}
		same = same && slices.EqualFunc(kept[0].positions[at+1:], f.positions[at+1:], equal)
		texts, all = append(texts, f.text), append(all, f.options...)
		words := f.positions[at].Enum
		if words == nil {
			words = []string{f.positions[at].From}
		}
		for _, name := range words {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) < 2 {
		return false
	}
	command, rest := kept[0].positions[at], kept[0].positions[at+1:]
	command.Name, command.Enum, command.Type, command.Required = "command", names, "string", true
	if !same {
		rest = []Position{{Name: "arguments", Value: Value{List: true, Line: command.Line, From: "its usage",
			Help: "the forms are: " + strings.Join(texts, "; ")}}}
	}
	u.positions = append(append(slices.Clone(kept[0].positions[:at]), command), rest...)
	u.synopsis.options = all
	return true
}

// selects reports whether an option stands for all of a form: --help.
func (s synopsis) selects() bool { return s.selected && (len(s.positions) == 0 || s.open) }

// isFixed reports whether a position is a word as it is, or a choice of such words.
func (p Position) isFixed() bool { return p.fixed || len(p.Enum) > 0 && p.Required }
