package adopt

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Read reads a script. Of a script in an unknown language it only reads what its comments and texts say
// about its usage, of a program nothing.
func Read(name string, text []byte) (r Reading) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\uFEFF")), []byte("\r\n"), []byte("\n"))
	program := filepath.Base(name)
	switch kind := language(name, text); kind {
	case "shell":
		r = readShell(text, program)
	case "python":
		r = readPython(text, program)
		r.imports(name, text)
	case "perl", "ruby", "node", "awk":
		r = readCalls(text, kind, program)
	default:
		if lines := strings.Split(string(text), "\n"); !isBinary(text) {
			u := usageOfScript(lines, program)
			r.describe(lines, program, u)
			r.settle(u)
		}
	}
	r.tidy()
	return r
}

// tidy makes one option of what is there twice, and leaves out those for help.
func (r *Reading) tidy() {
	var once []Option
	for _, o := range withoutHelp(r.Options) {
		if find(once, o.Short, o.Long) == nil {
			once = append(once, o)
		}
	}
	r.Options = once
	r.lets()
	r.unplaced()
	if r.unread && !r.told && !r.exact {
		r.Positions = nil // the code shows some of them at most
	}
	if r.handing > 0 {
		r.Positions = slices.Insert(r.Positions, 0, Position{Name: "options", front: true, any: true,
			Value: Value{List: true, Line: r.handing, From: "options", Help: "options, each a word of its own"}})
		r.doubt(r.handing, "it takes options that are not listed: say in options which they are")
	}
	for i := range r.Commands {
		r.Commands[i].tidy()
	}
}

// compares records that the code of a script compares something with an option, unless it does so to refuse others.
func (r *Reading) compares(pattern string, line int) {
	if isName(strings.TrimRight(pattern, "*=")) && strings.Trim(pattern, "-*=") != "" {
		r.compared = append(r.compared, variable{strings.TrimRight(strings.TrimSuffix(pattern, "*"), "="), line})
	}
}

// unplaced says which options the code knows and the tool has not.
func (r *Reading) unplaced() {
	known := []Option{{Short: "-h", Long: "--help"}, {Short: "-v", Long: "--version"}, {Short: "-V", Long: "--usage"}}
	for _, c := range append(r.Commands, Command{Reading: *r}) {
		known = append(known, c.Options...)
	}
	var names []string
	for _, v := range r.compared {
		if find(known, v.name, v.name) == nil && !slices.Contains(names, v.name) &&
			!slices.ContainsFunc(known, func(o Option) bool { return len(v.name) > 2 && strings.HasPrefix(o.Long, v.name) }) {
			names = append(names, v.name)
		}
	}
	if len(names) > 0 {
		r.unsure(r.compared[0].line, "its code looks for "+strings.Join(names, ", ")+", which the tool has not")
	}
}

// ReadHelp reads the text that the program with a name, or the subcommand, prints when it is asked for help.
func ReadHelp(text, program string) Reading {
	var r Reading
	var all []textLine
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		all = append(all, textLine{line, i + 1, true, false})
	}
	u := readUsage(all, program)
	u.line = 0 // of no file
	for i := range u.options {
		u.options[i].listed, u.options[i].Line = true, 0
	}
	for i := range u.positions {
		u.positions[i].Line = 0
	}
	r.settle(u)
	if u.shown || len(u.options) > 0 { // otherwise it is rather a complaint than a help text
		r.Description = below(all, program).text
	}
	return r
}

func withoutHelp(options []Option) []Option {
	var kept []Option
	for _, o := range options {
		if !isHelp(o) {
			if !o.Takes {
				o.Type = "boolean"
			}
			kept = append(kept, o)
		}
	}
	return kept
}

// language returns a script's language by its #! line, or else by its file extension.
func language(name string, text []byte) string {
	first, rest, _ := strings.Cut(string(text[:min(256, len(text))]), "\n")
	if strings.HasPrefix(rest, "'''exec'") { // by which a shell starts Python, as its path is long
		return "python"
	}
	if line, ok := strings.CutPrefix(first, "#!"); ok {
		for _, word := range strings.Fields(line) {
			name := leading(filepath.Base(word), unicode.IsLower) // of python3.12
			if known := languageOf(name); known != "" {
				return known
			}
		}
		return ""
	}
	return languageOf(strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")))
}

// languages are those that are read, with their interpreters and file extensions.
var languages = [...]struct{ name, words string }{
	{"shell", "sh bash dash ash ksh zsh"},
	{"python", "python py"},
	{"perl", "perl pl"},
	{"ruby", "ruby rb"},
	{"node", "node nodejs bun deno tsx js mjs cjs ts"},
	{"awk", "awk gawk mawk nawk"},
}

func languageOf(word string) string {
	for _, l := range languages {
		if oneOf(l.words, word) {
			return l.name
		}
	}
	return ""
}
