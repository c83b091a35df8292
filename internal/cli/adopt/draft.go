package adopt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Draft is the metadata of a new tool.
type Draft struct {
	Description string
	Program     []string // the first words of the command line; none for a script beside the metadata
	Arguments   []Argument
	Stdin       string // the argument that becomes the standard input; empty for none
	Folder      string // of the project, with slashes, that it is started in; empty for the project's own
	open        bool   // nothing is known of the arguments but the options
	words       []words
	after       [][2]string // an argument, and the argument it requires
	needs       []need      // what each subcommand takes
}

// A need is what a subcommand takes of the arguments, and what it requires.
type need struct {
	command         string
	takes, requires []string
}

// An Argument is an argument of a tool, and the part of the command line that it fills.
type Argument struct {
	Name string `json:"name"`
	Value
	Required bool   `json:"required"`
	Pattern  string `json:"-"`              // regular expression that its text must match; empty for any text
	Natural  bool   `json:"-"`              // a number that must not be negative: programs take -9 for an option
	Words    string `json:"argv,omitempty"` // its part of the command line, as it is written in the metadata
}

// words is an item of argv: one word, or several that are left out together.
type words []string

// notBegun returns a pattern for texts that begin neither with a dash, which programs treat as an option, nor
// with one of the given characters.
func notBegun(with string) string {
	return "^([^-" + strings.NewReplacer("-", "", `\`, `\\`, "]", `\]`).Replace(with) + "]|$)"
}

// NewDraft makes a draft whose arguments are the options and positions of r, or a list of any words if
// nothing is known of the program. Names are unique: a second n is n_2.
func NewDraft(r Reading) *Draft {
	d := &Draft{Description: r.Description}
	for len(r.Positions) > 0 && r.Positions[0].front {
		d.position(r.Positions[0], r, false)
		r.Positions = r.Positions[1:]
	}
	for _, o := range r.Options {
		d.option(o, r.Prefixes)
	}
	if len(r.Commands) > 0 {
		d.commands(r)
		return d
	}
	d.open = !r.Known && len(r.Positions) == 0 ||
		r.unread && !slices.ContainsFunc(r.Positions, func(p Position) bool { return p.List })
	dashes := slices.IndexFunc(r.Positions, func(p Position) bool { return p.behind }) // before which position
	if dashes < 0 && r.Dashes && !r.unread {
		dashes = 0
	}
	last := "" // the previous optional position, which the next position requires
	for i, p := range r.Positions {
		if i == dashes {
			d.words = append(d.words, words{"--"})
			last = ""
		}
		name := d.position(p, r, dashes >= 0 && i >= dashes && !r.Passes)
		if last != "" && !p.Required {
			d.after = append(d.after, [2]string{name, last})
		}
		if last = ""; !p.Required && !p.List {
			last = name
		}
	}
	if r.Stdin {
		a := Argument{Name: d.unique("input"),
			Value: Value{Type: "string", Help: "what it reads from its standard input", From: "stdin"}}
		d.Stdin = a.Name
		d.put(a)
	}
	if d.open {
		d.put(Argument{Name: "args",
			Value: Value{Type: "string", List: true, Help: "its arguments, each a word of its own; no shell reads them"}},
			words{"{args...}"})
	}
	return d
}

// commands adds the subcommands as the values of one argument, and what each takes as optional arguments:
// the schema says which of them go with which command.
func (d *Draft) commands(r Reading) {
	command := Argument{Name: d.unique("command"), Required: true, Value: Value{Type: "string", From: "its subcommands"}}
	var help []string
	for _, c := range r.Commands {
		command.Enum = append(command.Enum, c.Name)
		text := c.Name
		if c.Help != "" {
			text += ": " + strings.TrimSuffix(c.Help, ".")
		}
		help = append(help, text)
	}
	command.Help = strings.Join(help, "; ")
	d.put(command, words{"{" + command.Name + "}"})
	for _, c := range r.Commands {
		d.needs = append(d.needs, need{command: c.Name})
	}
	seen := make(map[string]string) // the names of arguments that several commands take alike
	take := func(i int, key string, required bool, add func()) {
		if seen[key] == "" {
			add()
			seen[key] = d.Arguments[len(d.Arguments)-1].Name
		}
		n := &d.needs[i]
		if n.takes = append(n.takes, seen[key]); required {
			n.requires = append(n.requires, seen[key])
		}
	}
	for i, c := range r.Commands {
		for _, o := range c.Options {
			required := o.Required && o.Takes
			o.Required = false
			take(i, fmt.Sprint(o.Short, o.Long, o.Type, o.Takes, o.Enum), required, func() { d.option(o, r.Prefixes) })
		}
	}
	for i, c := range r.Commands { // behind all options
		for _, p := range c.Positions {
			required := p.Required
			p.Required = false
			take(i, fmt.Sprint(p.Name, p.Type, p.List, p.Enum), required, func() { d.position(p, r, false) })
		}
	}
}

// position adds an argument for a position, and returns its name. A guarded one is behind --.
func (d *Draft) position(p Position, r Reading, guarded bool) string {
	if p.List && d.has(p.Name) && !strings.HasSuffix(p.Name, "s") { // of an option, as in -f FILE FILE...
		p.Name += "s"
	}
	a := Argument{Name: d.unique(p.Name), Value: p.Value, Required: p.Required}
	a.Type = cmp.Or(a.Type, "string")
	switch {
	case a.Type == "string":
		if len(a.Enum) == 0 && (!guarded || r.Prefixes != "") && !(p.List && r.unread) && !p.any {
			a.Pattern = notBegun(r.Prefixes)
		}
	case a.Type != "boolean":
		a.Natural = !guarded && (r.Passes || len(r.Options) > 0) && !strings.HasPrefix(a.Default, "-")
	}
	word := "{" + a.Name + "}"
	switch {
	case p.List:
		word = "{" + a.Name + "...}"
	case !p.Required:
		word = "{" + a.Name + "?}"
	}
	d.put(a, words{word})
	return a.Name
}

// put adds an argument with its part of the command line.
func (d *Draft) put(a Argument, items ...words) {
	var written []string
	for _, item := range items {
		written = append(written, laidOut(item.json(), "", oneLine))
	}
	a.Words = strings.Join(written, ", ")
	d.Arguments = append(d.Arguments, a)
	d.words = append(d.words, items...)
}

// option adds an argument for an option. A word that begins with one of prefixes names a file of words.
func (d *Draft) option(o Option, prefixes string) {
	a := Argument{Name: d.unique(o.name()), Value: o.Value, Required: o.Required && o.Takes}
	flag := cmp.Or(o.Long, o.Short)
	if !o.Takes {
		a.Type, a.Default = "boolean", ""
		d.put(a, words{"{" + a.Name + "?" + escape(flag) + "}"})
		return
	}
	a.Type = cmp.Or(a.Type, "string")
	if prefixes != "" && o.Style == Apart && a.Type == "string" && len(a.Enum) == 0 {
		a.Pattern = notBegun(prefixes)
	}
	place, joint := "{"+a.Name+"}", ""
	if o.Style == Equals {
		joint = "="
	}
	if o.Style != Apart && !a.Required {
		place = "{" + a.Name + "?}"
	}
	if a.List {
		place = "{" + a.Name + "...}"
	}
	switch {
	case o.Style != Apart:
		if o.Style == Attached {
			flag = o.Short
		}
		d.put(a, words{escape(flag) + joint + place})
	case a.Required && !a.List:
		d.put(a, words{escape(flag)}, words{place})
	default:
		d.put(a, words{escape(flag), place})
	}
}

// escape escapes a text for a template.
func escape(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(text)
}

// unique returns name, with a number if another argument has it.
func (d *Draft) unique(name string) string {
	name = cmp.Or(name, "arg")
	free := name
	for n := 2; d.has(free); n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

func (d *Draft) has(name string) bool {
	return slices.ContainsFunc(d.Arguments, func(a Argument) bool { return a.Name == name })
}

// Metadata returns the draft as the metadata file of a tool.
func (d *Draft) Metadata() []byte {
	var argv []json.Value
	for _, word := range d.Program {
		argv = append(argv, json.Quote(escape(word)))
	}
	for _, item := range d.words {
		argv = append(argv, item.json())
	}
	var stdin, folder json.Value
	if d.Stdin != "" {
		stdin = json.Quote("{" + d.Stdin + "?}")
	}
	if d.Folder != "" {
		folder = json.Quote(d.Folder)
	}
	return file(json.Object("description", d.Description, "inputSchema", d.schema(), "argv", json.Array(argv),
		"stdin", stdin, "cwd", folder))
}

// Shown returns what a client is told of the tool with a name.
func (d *Draft) Shown(name string) string {
	return laidOut(json.Object("name", name, "description", d.Description, "inputSchema", d.schema()), "", lineLength)
}

// schema returns the JSON Schema of the arguments.
func (d *Draft) schema() json.Value {
	var properties, after []any
	var required []string
	for _, a := range d.Arguments {
		properties = append(properties, a.Name, a.schema())
		if a.Required {
			required = append(required, a.Name)
		}
	}
	for _, pair := range d.after {
		after = append(after, pair[0], []string{pair[1]})
	}
	members := []any{"type", "object", "properties", json.Object(properties...), "required", some(required),
		"dependentRequired", someObject(after)}
	return json.Object(append(append(members, d.which(d.needs)...), "additionalProperties", false)...)
}

// some and someObject return the JSON of a list and of an object; nil for an empty one, which is left out.
func some(list []string) json.Value {
	if len(list) == 0 {
		return nil
	}
	return json.Encode(list)
}

func someObject(members []any) json.Value {
	if len(members) == 0 {
		return nil
	}
	return json.Object(members...)
}

// which returns members of a JSON Schema that say what goes with each subcommand. Each is in the else of the one
// before: models are told of schemas without allOf only.
func (d *Draft) which(needs []need) []any {
	if len(needs) == 0 {
		return nil
	}
	n := needs[0]
	var foreign []any
	seen := make(map[string]bool)
	for _, other := range d.needs {
		for _, name := range other.takes {
			if !slices.Contains(n.takes, name) && !seen[name] {
				seen[name] = true
				foreign = append(foreign, name, false)
			}
		}
	}
	is := json.Object("properties", json.Object(d.needsName(), json.Object("const", n.command)))
	return []any{"if", is, "then", json.Object("properties", someObject(foreign), "required", some(n.requires)),
		"else", someObject(d.which(needs[1:]))}
}

// needsName returns the name of the argument that is the subcommand.
func (d *Draft) needsName() string {
	i := slices.IndexFunc(d.Arguments, func(a Argument) bool { return a.From == "its subcommands" })
	return d.Arguments[i].Name
}

// schema returns the JSON Schema of the argument. Its default is told in words: one that is sent would override what
// the script has from elsewhere, as from its settings or another option.
func (a Argument) schema() json.Value {
	var enum []json.Value
	for _, value := range a.Enum {
		enum = append(enum, a.literal(value))
	}
	one := []any{"type", a.Type}
	if len(enum) > 0 {
		one = append(one, "enum", json.Array(enum))
	}
	if a.Pattern != "" {
		one = append(one, "pattern", a.Pattern)
	}
	if a.Natural {
		one = append(one, "minimum", 0)
	}
	if a.List {
		one = []any{"type", "array", "items", json.Object(one...)}
		if a.Required {
			one = append(one, "minItems", 1)
		}
	}
	help := a.Help
	if a.Default != "" && !strings.Contains(strings.ToLower(help), "default") {
		if help = a.Default + " if not given"; a.Help != "" {
			help = a.Help + " (" + help + ")"
		}
	}
	if help != "" {
		one = append(one, "description", help)
	}
	return json.Object(one...)
}

// Example returns arguments for `mcp-bash call`: those that the tool requires.
func (d *Draft) Example() (words []string) {
	for _, a := range d.Arguments {
		value, assigned := "…", "="
		switch {
		case !a.Required:
			continue
		case len(a.Enum) > 0:
			value = a.Enum[0]
		case a.Type == "integer", a.Type == "number":
			value = "1"
		}
		if a.List {
			if a.Type == "" || a.Type == "string" {
				value = string(json.Quote(value))
			}
			value, assigned = "["+value+"]", ":="
		}
		words = append(words, a.Name+assigned+value)
	}
	return words
}

// literal returns a text as a JSON value of the argument's type.
func (a Argument) literal(text string) json.Value {
	if (a.Type == "integer" || a.Type == "number") && numberType(text) != "" {
		return json.Value(text)
	}
	return json.Quote(text)
}

func (item words) json() json.Value {
	if len(item) == 1 {
		return json.Quote(item[0])
	}
	return json.Encode(item)
}
