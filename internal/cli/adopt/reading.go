// Package adopt makes tools of scripts that know nothing of MCP. It reads how a script takes its
// options and arguments, and plans a tool whose metadata maps arguments to them. Scripts are read,
// never run; only the text that a program prints when asked for help comes from running it, and
// the caller does that.
//
// Reading never fails: what it does not understand becomes a [Doubt].
package adopt

import (
	"slices"
	"strings"
)

// A Reading is what is known of how a program takes its arguments.
type Reading struct {
	Description string
	Options     []Option
	Positions   []Position // in order
	Doubts      []Doubt    // what was not understood, by line

	Dashes bool // -- ends the options
	Beside bool // it looks for files in its own folder, so a copy elsewhere may not find them
	Stdin  bool // it reads its standard input
}

// An Option is one that begins with a dash.
type Option struct {
	Short, Long string // -n, --count; one of them may be empty
	Variable    string // that holds it in the script; may be empty
	Takes       bool   // a value
	Style       Style  // how the value follows; of one that takes a value
	Required    bool
	Value
}

// A Style is how the value of an option follows it.
type Style int

const (
	Apart    Style = iota // --count 3, -n 3
	Equals                // --count=3
	Attached              // -n3
)

// A Position is an argument without a dash.
type Position struct {
	Name     string
	Required bool
	Value
}

// A Value is what is known of what may be in an argument.
type Value struct {
	Type    string // string, integer, number or boolean; empty where nothing says
	List    bool   // any number of them
	Default string // empty for none
	Enum    []string
	Help    string
	Line    int    // where it was found, from 1; 0 where it was not in the file
	From    string // what was found there, as in "getopts n:"
}

// A Doubt is something that was not understood.
type Doubt struct {
	Line int // from 1; 0 for none in particular
	Text string
}

func (r *Reading) doubt(line int, text string) {
	if d := (Doubt{line, text}); !slices.Contains(r.Doubts, d) {
		r.Doubts = append(r.Doubts, d)
	}
}

// name is what an argument for the option is called.
func (o Option) name() string {
	switch {
	case o.Long != "":
		return ArgumentName(o.Long)
	case ArgumentName(o.Variable) != "":
		return ArgumentName(o.Variable)
	}
	return ArgumentName(o.Short)
}

// ArgumentName writes a name as arguments are called: --dry-run is dry_run.
func ArgumentName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, strings.TrimLeft(name, "-"))
	return strings.Trim(name, "_")
}

// find returns the option that has one of the names.
func (r *Reading) find(short, long string) *Option {
	for i, o := range r.Options {
		if short != "" && o.Short == short || long != "" && o.Long == long {
			return &r.Options[i]
		}
	}
	return nil
}

// isHelp reports whether an option prints help or a version, which no tool needs.
func isHelp(o Option) bool {
	switch o.Long {
	case "--help", "--version", "--usage":
		return true
	}
	return o.Long == "" && (o.Short == "-h" || o.Short == "-?") && !o.Takes
}

// isNumber returns which type a literal is of, or "" for a string.
func isNumber(text string) string {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	switch {
	case whole == "" || strings.Trim(whole, "0123456789") != "" || len(whole) > 1 && whole[0] == '0' || len(whole) > 15:
		return ""
	case !point:
		return "integer"
	case fraction == "" || strings.Trim(fraction, "0123456789") != "":
		return ""
	}
	return "number"
}
