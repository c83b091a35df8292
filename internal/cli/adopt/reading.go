// Package adopt makes tools from scripts that were not written for MCP. It reads how a script takes
// its options and arguments, and plans a tool whose metadata maps arguments to them. Scripts are
// read, never run: if the output of --help is used, the caller runs the program.
//
// Reading never fails: what it does not understand becomes a [Doubt].
package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A Reading is what is known of how a program takes its arguments.
type Reading struct {
	Description string
	Options     []Option
	Positions   []Position // in order
	Doubts      []Doubt    // what was not understood, by line

	Known  bool // the language of the script is known, so that no arguments found means that it takes none
	Dashes bool // the script accepts -- as the end of options
	Passes bool // it passes its arguments on to other programs, which -- does not reach, as shell scripts do
	Beside bool // the script looks for files in its own folder, so a copy elsewhere does not work
	Stdin  bool // the script reads its standard input

	variables []variable      // of its environment that it reads, and tools do not get
	programs  []check.Program // that it calls

	Commands []Command // one of them is the first position; each takes arguments of its own

	Idle string // why it does nothing if it is run; empty if it does

	forwards bool       // it hands all of its arguments to another program, so options may be of that
	compared []variable // options that the code compares something with
	mixed    int        // the line where it uses all of its arguments, though it uses some by number; 0 if none

	handing int // the line where it takes options of which no more is known, for another program; 0 for none

	exact  bool // its code lists all that it takes
	told   bool // its usage text decides the positions
	unread bool // it may take more than was read, of any kind

	Prefixes string // characters that make a word, even after --, the name of a file with more words, as argparse can
}

// An Option is an argument that begins with a dash.
type Option struct {
	Short, Long string // -n, --count; one of them may be empty
	Variable    string // that holds it in the script; may be empty
	Takes       bool   // a value
	Style       Style  // how the value follows, if it takes one
	Required    bool
	Value

	negates bool // it is one of --count and --no-count
	row     bool // its values follow one another: -f A B C
	loose   bool // only a blank is between it and what it means, so the line may be a sentence
	either  bool // its value may be left out
	coded   bool // the code shows it, too
	listed  bool // below a usage line or a heading, so the text is about the program
	does    bool // the code does something with it, so it is not for help in spite of its name
	flowing bool // documentation names it without a value, which it may have

	more bool   // the code does more with it than set a variable, so leaving it out is not the same as its default
	sets string // what it sets the variable to, if it takes no value
}

// A Command is a subcommand of a program, and what it takes.
type Command struct {
	Name, Help string
	Reading
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

	demanded bool // the code ends without it
	fixed    bool // it is a word that a usage text shows as it is, or in the place of another
	front    bool // it comes before the options
	behind   bool // the usage shows a -- before it
	any      bool // what begins with a dash is also meant, for another program
}

// A Value is what is known of the value of an argument.
type Value struct {
	Type    string   `json:"type"`           // string, integer, number or boolean; empty if unknown
	List    bool     `json:"list,omitempty"` // any number of them
	Default string   `json:"default,omitempty"`
	Enum    []string `json:"enum,omitempty"`
	Help    string   `json:"-"`
	Line    int      `json:"line,omitempty"` // where it was found, from 1; 0 if it was not in the file
	From    string   `json:"from,omitempty"` // what was found there, as in "getopts n:"
}

// A Doubt describes something that was not understood.
type Doubt struct {
	Line int    `json:"line,omitempty"` // from 1; 0 for no particular line
	Text string `json:"text"`
}

func (d Doubt) String() string {
	if d.Line > 0 {
		return fmt.Sprintf("line %d: %s", d.Line, d.Text)
	}
	return d.Text
}

// optionNamed returns an option with a name, as in -n or --count; a word after a single dash is a long
// name, as in -name of find.
func optionNamed(name string, line int) Option {
	o := Option{Value: Value{Line: line, From: name}}
	o.addName(name)
	return o
}

// addName adds a name of the option; of several long or short ones the first counts.
func (o *Option) addName(name string) {
	if len(name) == 2 {
		o.Short = cmp.Or(o.Short, name)
	} else {
		o.Long = cmp.Or(o.Long, name)
	}
}

func (r *Reading) doubt(line int, text string) {
	if d := (Doubt{line, text}); !slices.Contains(r.Doubts, d) {
		r.Doubts = append(r.Doubts, d)
		slices.SortStableFunc(r.Doubts, func(a, b Doubt) int { return a.Line - b.Line })
	}
}

// unsure records that a program may take more than was read, and why. A tool of it passes on any words.
func (r *Reading) unsure(line int, text string) {
	r.unread = true
	r.doubt(line, text)
}

// name returns the name of an argument for the option.
func (o Option) name() string {
	return cmp.Or(ArgumentName(o.Long), ArgumentName(o.Variable), ArgumentName(o.Short))
}

// ArgumentName converts a name to the name of an argument: --dry-run is dry_run.
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

// find returns the option with one of the names; many a program takes -name for --name.
func (r *Reading) find(short, long string) *Option { return find(r.Options, short, long) }

func find(all []Option, short, long string) *Option {
	for i, o := range all {
		if short != "" && o.Short == short || long != "" && strings.TrimLeft(o.Long, "-") == strings.TrimLeft(long, "-") {
			return &all[i]
		}
	}
	return nil
}

// isHelp reports whether an option prints help or the version, which tools do not need.
func isHelp(o Option) bool {
	if o.does {
		return false
	}
	switch o.Long {
	case "--help", "--version", "--usage", "-help", "-version":
		return !o.Takes || o.either
	}
	return o.Long == "" && (o.Short == "-h" || o.Short == "-?") && !o.Takes
}

// numeral matches a number as JSON has it, and its fraction.
var numeral = lazyregexp.New(`^-?(?:0|[1-9]\d{0,14})(\.\d+)?$`)

// numberType returns the numeric type of a literal, or "" for a string.
func numberType(text string) string {
	switch m := numeral.Get().FindStringSubmatch(text); {
	case m == nil:
		return ""
	case m[1] == "":
		return "integer"
	}
	return "number"
}
