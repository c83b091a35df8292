package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// position returns the position with a number, which is the one found if there was none.
func (w *walker) position(n int, found Position) *Position {
	if w.positions[n] == nil {
		w.positions[n] = &found
	}
	return w.positions[n]
}

// optionsEnd records that the options have been read at a line, before which there were others or none. What was
// shifted or taken before them comes before them.
func (w *walker) optionsEnd(others bool, at int) {
	before := w.shifted
	for n, p := range w.positions {
		if p.Name != "" && p.Required { // always taken
			before = max(before, n)
		}
	}
	if others && before > w.front {
		w.unsure(at, "it takes options in several places, with other words between")
	}
	w.options, w.front = true, before
}

// takesRest records that the script uses all of its arguments but the first ones, whose number is from.
func (w *walker) takesRest(p Position, from int) {
	if w.rest == nil {
		w.rest, w.restFrom = &p, from
	}
}

// finish puts the positions in order.
func (w *walker) finish() {
	maps.DeleteFunc(w.needed, func(name string, _ bool) bool { return w.elsewhere[name] })
	last := slices.Max(append(slices.Collect(maps.Keys(w.positions)), 0))
	for n := 1; n <= last; n++ {
		at := w.positions[n]
		if at == nil {
			at = &Position{Required: true, Value: Value{From: "$" + strconv.Itoa(n)}}
			w.doubt(0, "it never uses its argument "+strconv.Itoa(n))
		}
		switch {
		case w.demanded[n] && at.Default == "", at.Name != "" && w.needed[at.Name] && at.Default == "", n <= w.least:
			at.Required, at.Default, at.demanded = true, "", true
		case w.least > 0 && !w.strict, w.optional[n], w.tested[at.Name] && w.elsewhere[at.Name]:
			at.Required = false
		}
		if w.counting && w.least == 0 {
			at.Default = "" // the script asks whether it was given
		}
		w.Positions = append(w.Positions, *at)
	}
	for n := len(w.Positions) - 1; n > 0; n-- { // positions before a required one are required too
		if before := &w.Positions[n-1]; w.Positions[n].Required {
			before.Required, before.Default = true, ""
		}
	}
	switch {
	case w.rest == nil:
	case w.restFrom < last:
		w.mixed = w.rest.Line
		w.Positions = append(w.Positions, Position{Value: Value{List: true, Line: w.rest.Line, From: w.rest.From}})
	default:
		for w.restFrom > len(w.Positions) {
			w.Positions = append(w.Positions, Position{Required: true, Value: Value{From: "shift", Line: w.rest.Line}})
		}
		w.rest.Required = w.least > len(w.Positions)
		w.Positions = append(w.Positions, *w.rest)
	}
	for i := range w.Positions {
		at := &w.Positions[i]
		if at.Enum == nil && !at.List {
			at.Enum = w.enums[at.Name]
		}
		w.about(&at.Value, at.Name)
		unnamed := "arg" + strconv.Itoa(i+1)
		if at.List {
			unnamed = "args"
		}
		at.Name = cmp.Or(ArgumentName(at.Name), unnamed)
		at.front = i < w.front
	}
	for i := range w.Options {
		o := &w.Options[i]
		o.Required = o.Takes && o.Variable != "" && w.needed[o.Variable]
		if text := w.constants[o.Variable]; o.Takes && o.Default == "" && o.Variable != "" && !o.Required && !o.more {
			o.Default = text
		}
		if o.more && o.Takes && o.Type == "" {
			o.Type = numberType(w.constants[o.Variable])
		}
		if o.Takes && o.Enum == nil {
			o.Enum = w.enums[o.Variable]
		}
		if o.either = slices.Contains(w.halves, strings.TrimLeft(cmp.Or(o.Long, o.Short), "-")); o.either {
			o.Takes, o.Style = true, Attached
			if o.Long != "" {
				o.Style = Equals
			}
		}
		if o.List && o.Style == Apart {
			o.List = false
			w.doubt(o.Line, cmp.Or(o.Long, o.Short)+" may be given several times, which the tool cannot do")
		}
		if w.about(&o.Value, o.Variable); o.Enum != nil && !slices.Contains(o.Enum, o.Default) {
			o.Default = ""
		}
	}
	w.Options = slices.DeleteFunc(w.Options, isHelp)
}

// about derives the type of a value from what the script does with it.
func (w *walker) about(v *Value, variable string) {
	if v.Type == "" && v.Default != "" {
		v.Type = numberType(v.Default)
	}
	if v.Type == "" && variable != "" && w.numbers[variable] {
		v.Type = "integer"
	}
}
