package catalog

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

// A CommandLine is what a program gets in addition to the contract of all tools: the words of argv,
// and the text of stdin.
type CommandLine struct {
	Argv  argv.Template // after the program; nil for none
	Stdin *argv.Word    // nil for none
	// Defaults are the default values of arguments in the schema, used for absent arguments.
	Defaults map[string]json.Value
}

// None reports whether the metadata defines neither.
func (c CommandLine) None() bool { return c.Argv == nil && c.Stdin == nil }

// commandLine reads argv and stdin. For a tool with a script, argv are its arguments; for a tool of
// metadata alone, the first word is the program. A fault in them leaves the entry out: a program is
// not run with other words than its author wrote.
func (o object) commandLine(alone bool, schema json.Value) (c CommandLine, program string) {
	command, hasCommand := o.get("argv")
	text, hasText := o.get("stdin")
	if !hasCommand && !hasText {
		return c, "" // most tools have neither, and their schema need not be taken apart
	}
	s := argumentsOf(schema)
	if hasCommand {
		items := o.argvItems(command)
		if alone {
			var ok bool
			if program, ok = literalProgram(items); !ok {
				o.deny(command, "must begin with a program, because no script stands beside it",
					`write "argv": ["rg", "{pattern}"]`)
			} else {
				items = items[1:]
			}
		}
		c.Argv = append(argv.Template{}, items...) // not nil even if it is empty
		for _, item := range items {
			for _, word := range item.Words {
				o.checkPlaces(command, word, item.Together, s)
			}
		}
	}
	if hasText {
		word, ok := o.argvWord(text)
		if ok && slices.ContainsFunc(word.Places(), func(p argv.Part) bool { return p.Kind == argv.Spread }) {
			o.deny(text, "is one text, not a list", `write "stdin": "{text}"`)
		}
		o.checkPlaces(text, word, false, s)
		c.Stdin = &word
	}
	if !c.None() {
		c.Defaults = s.defaults
	}
	return c, program
}

// literalProgram returns the first word, if it names a program.
func literalProgram(items argv.Template) (string, bool) {
	if len(items) == 0 || items[0].Together {
		return "", false
	}
	text, ok := items[0].Words[0].Literal()
	return text, ok && strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "-")
}

// argvItems reads the array: words, and lists of words.
func (o object) argvItems(m json.Member) (all argv.Template) {
	if m.Value.Kind() != '[' {
		o.deny(m, "must be an array of words, not "+kindName(kindOf(m.Value)), `write "argv": ["--depth={depth?}", "{path}"]`)
		return nil
	}
	for _, element := range document.Elements(m) {
		item := argv.Item{Together: element.Value.Kind() == '['}
		words := []json.Member{element}
		if item.Together {
			if words = document.Elements(element); len(words) == 0 {
				o.deny(element, "is an empty list of words", "")
			}
		}
		for _, child := range words {
			if word, ok := o.argvWord(child); ok {
				item.Words = append(item.Words, word)
			}
		}
		if len(item.Words) > 0 {
			all = append(all, item)
		}
	}
	return all
}

// argvWord reads a word.
func (o object) argvWord(m json.Member) (argv.Word, bool) {
	if !o.strictly().is(m, '"') {
		return nil, false
	}
	word, err := argv.ParseWord(json.Text(m.Value))
	if err != nil {
		o.deny(m, document.OneLine(err.Error()), "")
	}
	return word, err == nil
}

// checkPlaces checks the placeholders of a word against the schema.
func (o object) checkPlaces(m json.Member, word argv.Word, together bool, s arguments) {
	for _, p := range word.Places() {
		types, known := s.types[p.Name]
		may := func(kind string) bool { return len(types) == 0 || slices.Contains(types, kind) }
		_, hasDefault := s.defaults[p.Name]
		switch {
		case !known && !s.open:
			o.deny(m, fmt.Sprintf("{%s} is not an argument of inputSchema", document.Printable(p.Name)),
				"write it into its properties, or {{ for a brace as it is")
		case p.Kind == argv.Flag && !may("boolean"):
			o.deny(m, fmt.Sprintf("{%s?…} needs an argument that is true or false", document.Printable(p.Name)),
				fmt.Sprintf(`give it "type": "boolean" in inputSchema, or write {%s?}`, document.Printable(p.Name)))
		case p.Kind == argv.Spread && !may("array"):
			o.deny(m, fmt.Sprintf("{%s...} needs an argument that is an array", document.Printable(p.Name)),
				fmt.Sprintf(`give it "type": "array" in inputSchema, or write {%s}`, document.Printable(p.Name)))
		case p.Kind == argv.Value && !together && known && !hasDefault && !s.required[p.Name] && !s.open:
			o.warn(m,
				fmt.Sprintf("a call without %s is refused, though inputSchema does not require it", document.Printable(p.Name)),
				fmt.Sprintf("write {%s?}, which leaves its word out, or require it", document.Printable(p.Name)))
		}
	}
}

// arguments are the arguments that the root of an inputSchema describes.
type arguments struct {
	types    map[string][]string // of each property; empty for any
	required map[string]bool
	defaults map[string]json.Value
	open     bool // there may be others
}

// argumentsOf reads the text of a schema. What is not valid in it was reported.
func argumentsOf(text json.Value) arguments {
	s := arguments{types: make(map[string][]string), required: make(map[string]bool),
		defaults: make(map[string]json.Value)}
	valueOf := func(in json.Value, name string) json.Value {
		m, _ := json.Find(in, name)
		return m.Value
	}
	for m := range json.Members(text, '{', json.Lenient) {
		s.open = s.open || schema.DescribesElsewhere(m.Name)
	}
	for _, name := range json.Elements(valueOf(text, "required")) {
		s.required[json.Text(name)] = true
	}
	for p, err := range json.Members(valueOf(text, "properties"), '{', json.Lenient) {
		if err != nil {
			break // there are none
		}
		kinds := valueOf(p.Value, "type")
		if kinds.Kind() == '"' {
			kinds = json.Array([]json.Value{kinds})
		}
		s.types[p.Name] = nil
		for _, kind := range json.Elements(kinds) {
			s.types[p.Name] = append(s.types[p.Name], json.Text(kind))
		}
		if value := valueOf(p.Value, "default"); value != nil {
			s.defaults[p.Name] = value
		}
	}
	return s
}

// argvProgram returns what a tool without a script runs: a path if argv contains one, relative to
// the project or absolute, else the name of a program.
func (o object) argvProgram(program, root string) (path, name string) {
	file := filepath.FromSlash(program)
	switch {
	case filepath.IsAbs(file):
		return filepath.Clean(file), ""
	case !strings.ContainsRune(file, filepath.Separator):
		return "", program
	case !filepath.IsLocal(file):
		m, _ := o.get("argv")
		o.deny(m, fmt.Sprintf("%q is outside of the project", document.Printable(program)),
			"write its name, as found on PATH, an absolute path, or one in the project")
		return "", ""
	}
	return filepath.Join(root, file), ""
}
