package adopt

import (
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
	for _, o := range r.Options {
		d.option(o, r.Prefixes)
	}
	if len(r.Commands) > 0 {
		d.commands(r)
		return d
	}
	open := !r.Known && len(r.Positions) == 0
	dashes := slices.IndexFunc(r.Positions, func(p Position) bool { return p.behind }) // before which position
	if dashes < 0 && r.Dashes {
		dashes = 0
	}
	if open && r.Dashes {
		d.words = append(d.words, words{"--"})
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
		if last = ""; !p.Required && !p.List && p.Default == "" {
			last = name
		}
	}
	if r.Stdin {
		a := Argument{Name: d.unique("input"), Value: Value{Type: "string", Help: "what it reads from its standard input", From: "stdin"}}
		d.Stdin = a.Name
		d.put(a)
	}
	if open {
		d.put(Argument{Name: "args", Value: Value{Type: "string", List: true, Help: "its arguments, each a word of its own; no shell reads them"}}, words{"{args...}"})
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
			o.Required, o.Value = false, o.withoutDefault()
			take(i, fmt.Sprint(o.Short, o.Long, o.Type, o.Takes, o.Enum), required, func() { d.option(o, r.Prefixes) })
		}
	}
	for i, c := range r.Commands { // behind all options
		for _, p := range c.Positions {
			required := p.Required
			p.Required, p.Value = false, p.withoutDefault()
			take(i, fmt.Sprint(p.Name, p.Type, p.List, p.Enum), required, func() { d.position(p, r, false) })
		}
	}
}

// withoutDefault tells the default in words. One that is sent would go to the other commands, too.
func (v Value) withoutDefault() Value {
	if v.Default != "" && !strings.Contains(v.Help, v.Default) {
		v.Help = strings.TrimSpace(v.Help + " (default: " + v.Default + ")")
	}
	v.Default = ""
	return v
}

// position adds an argument for a position, and returns its name. A guarded one is behind --.
func (d *Draft) position(p Position, r Reading, guarded bool) string {
	a := Argument{Name: d.unique(p.Name), Value: p.Value, Required: p.Required}
	if a.Type == "" {
		a.Type = "string"
	}
	switch {
	case a.Type == "string":
		if len(a.Enum) == 0 && (!guarded || r.Prefixes != "") {
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
		written = append(written, item.json())
	}
	a.Words = strings.Join(written, ", ")
	d.Arguments = append(d.Arguments, a)
	d.words = append(d.words, items...)
}

// option adds an argument for an option. A word that begins with one of prefixes names a file of words.
func (d *Draft) option(o Option, prefixes string) {
	a := Argument{Name: d.unique(o.name()), Value: o.Value, Required: o.Required && o.Takes}
	flag := o.Long
	if flag == "" {
		flag = o.Short
	}
	if !o.Takes {
		a.Type, a.Default = "boolean", ""
		d.put(a, words{"{" + a.Name + "?" + escape(flag) + "}"})
		return
	}
	if a.Type == "" {
		a.Type = "string"
	}
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
	if name == "" {
		name = "arg"
	}
	free := name
	for n := 2; d.has(free); n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

func (d *Draft) has(name string) bool {
	for _, a := range d.Arguments {
		if a.Name == name {
			return true
		}
	}
	return false
}

// Metadata returns the draft as the metadata file of a tool.
func (d *Draft) Metadata() []byte {
	var argv []string
	for _, word := range d.Program {
		argv = append(argv, quoted(escape(word)))
	}
	for _, item := range d.words {
		argv = append(argv, item.json())
	}
	members := append(d.shown(), list("  ", "argv", argv))
	if d.Stdin != "" {
		members = append(members, member("stdin", quoted("{"+d.Stdin+"?}")))
	}
	return []byte(object(members) + "\n")
}

// Shown returns what a client is told of the tool with a name.
func (d *Draft) Shown(name string) string {
	return object(append([]string{member("name", quoted(name))}, d.shown()...))
}

func (d *Draft) shown() []string {
	return []string{member("description", quoted(d.Description)), group("  ", "inputSchema", d.schema())}
}

func object(members []string) string { return "{\n  " + strings.Join(members, ",\n  ") + "\n}" }

// schema returns the members of the JSON Schema of the arguments.
func (d *Draft) schema() []string {
	const inner = "    "
	var properties, required, after []string
	for _, a := range d.Arguments {
		properties = append(properties, group(inner+"  ", a.Name, a.schema(inner+"  ")))
		if a.Required {
			required = append(required, quoted(a.Name))
		}
	}
	for _, pair := range d.after {
		after = append(after, member(pair[0], "["+quoted(pair[1])+"]"))
	}
	members := []string{member("type", quoted("object")), group(inner, "properties", properties)}
	if len(required) > 0 {
		members = append(members, list(inner, "required", required))
	}
	if len(after) > 0 {
		members = append(members, group(inner, "dependentRequired", after))
	}
	if which := d.which(inner, d.needs); which != "" {
		members = append(members, strings.TrimPrefix(which[1:], "\n"+inner))
	}
	return append(members, member("additionalProperties", "false"))
}

// which returns members of a JSON Schema that say what goes with each subcommand. Each is in the else of the one
// before: models are told of schemas without allOf only.
func (d *Draft) which(indent string, needs []need) string {
	if len(needs) == 0 {
		return ""
	}
	n := needs[0]
	var foreign, required, then []string
	for _, other := range d.needs {
		for _, name := range other.takes {
			if !slices.Contains(n.takes, name) && !slices.Contains(foreign, name) {
				foreign = append(foreign, name)
			}
		}
	}
	for i, name := range foreign {
		foreign[i] = member(name, "false")
	}
	for _, name := range n.requires {
		required = append(required, quoted(name))
	}
	if len(foreign) > 0 {
		then = append(then, group(indent+"  ", "properties", foreign))
	}
	if len(required) > 0 {
		then = append(then, list(indent+"  ", "required", required))
	}
	text := ",\n" + indent + group(indent, "if", []string{member("properties", "{"+member(d.needsName(), "{"+member("const", quoted(n.command))+"}")+"}")})
	text += ",\n" + indent + group(indent, "then", then)
	if rest := d.which(indent+"  ", needs[1:]); rest != "" {
		text += ",\n" + indent + quoted("else") + ": {" + rest[1:] + "\n" + indent + "}"
	}
	return text
}

// needsName returns the name of the argument that is the subcommand.
func (d *Draft) needsName() string {
	i := slices.IndexFunc(d.Arguments, func(a Argument) bool { return a.From == "its subcommands" })
	return d.Arguments[i].Name
}

// schema returns the members of the JSON Schema of the argument.
func (a Argument) schema(indent string) []string {
	inner := indent
	if a.List {
		inner += "  "
	}
	members := []string{member("type", quoted(a.Type))}
	if len(a.Enum) > 0 {
		var all []string
		for _, value := range a.Enum {
			all = append(all, a.literal(value))
		}
		members = append(members, list(inner+"  ", "enum", all))
	}
	if a.Pattern != "" {
		members = append(members, member("pattern", quoted(a.Pattern)))
	}
	if a.Natural {
		members = append(members, member("minimum", "0"))
	}
	switch {
	case a.List:
		members = []string{member("type", quoted("array")), group(indent+"  ", "items", members)}
		if a.Required {
			members = append(members, member("minItems", "1"))
		}
	case a.Default != "":
		members = append(members, member("default", a.literal(a.Default)))
	}
	if a.Help != "" {
		members = append(members, member("description", quoted(a.Help)))
	}
	return members
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
				value = quoted(value)
			}
			value, assigned = "["+value+"]", ":="
		}
		words = append(words, a.Name+assigned+value)
	}
	return words
}

// literal returns a text as a JSON value of the argument's type.
func (a Argument) literal(text string) string {
	if (a.Type == "integer" || a.Type == "number") && numberType(text) != "" {
		return text
	}
	return quoted(text)
}

func (item words) json() string {
	var all []string
	for _, word := range item {
		all = append(all, quoted(word))
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func quoted(text string) string { return string(json.Quote(text)) }

// Members of JSON objects as people write them: on one line if that is short enough.

const lineLength = 110

func member(name, value string) string { return quoted(name) + ": " + value }

// group returns a member that is an object, and list one that is an array. indent is that of its line.
func group(indent, name string, members []string) string {
	return joined(indent, name, "{", members, "}")
}
func list(indent, name string, items []string) string { return joined(indent, name, "[", items, "]") }

func joined(indent, name, begin string, parts []string, end string) string {
	line := member(name, begin+strings.Join(parts, ", ")+end)
	if len(indent)+len(line)+len(",") <= lineLength && !strings.Contains(line, "\n") {
		return line
	}
	next := "\n" + indent + "  "
	return member(name, begin+next+strings.Join(parts, ","+next)+"\n"+indent+end)
}
