package adopt

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// Read reads a script. Of a script in an unknown language it only reads what its comments and texts say
// about its usage, of a program nothing.
func Read(name string, text []byte) (r Reading) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\uFEFF")), []byte("\r\n"), []byte("\n"))
	program := filepath.Base(name)
	lines := strings.Split(string(text), "\n")
	switch kind := language(name, text); kind {
	case "shell":
		r = readShell(text, program)
	case "python":
		r = readPython(text, program)
		r.imports(name, text)
		r.fetches(lines)
	case "perl", "ruby", "node", "awk":
		r = readCalls(text, kind, program)
		r.fetches(lines)
	default:
		if !isBinary(text) {
			r.Description = describe(lines, program)
			r.settle(usageOfScript(lines, program))
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
	for i := range r.Commands {
		r.Commands[i].tidy()
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
	r.settle(u)
	for i := range r.Options {
		r.Options[i].Line = 0
	}
	for i := range r.Positions {
		r.Positions[i].Line = 0
	}
	if r.Doubts = nil; u.forms {
		r.doubt(0, "its help shows several forms of the command line, of which the tool has the first")
	}
	if u.shown || len(u.options) > 0 { // otherwise it is rather a complaint than a help text
		r.Description = describeHelp(lines, program)
	}
	return r
}

// naming matches a line of help that names a program, its version, or its authors, shows how it is called, has columns,
// refers to other texts, or complains.
var naming = lazyregexp.New(`^\S+ (?:\[|<|v?\d)|^(?i:copyright|try|version|for more|see)\b|(?i:\bhelp\b)|<\S+@|https?://\S+$|\bversion v?\d|\S {3,}\S|` +
	`(?i:unknown|invalid|illegal|unrecognized|bad) (?:option|argument|flag|command)`)

// describeHelp returns the first paragraph that says what a program does: it is not indented, not a heading, not a part
// of the usage lines, and stands above the options.
func describeHelp(lines []string, program string) string {
	usage := false // its lines may go on without being indented
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "":
			usage = false
		case calling.Get().MatchString(line) || heading.Get().MatchString(line):
			usage = true
		case listsOption(line, usage):
			return "" // what follows is about them
		case naming.Get().MatchString(line):
			usage = true // it may go on, too
		case usage && !begins(line):
		case isText(line) &&
			!(i+1 < len(lines) && lines[i+1] != "" && strings.ContainsAny(lines[i+1][:1], " \t-")): // a heading
			end := i + 1
			for end < len(lines) && isText(lines[end]) && !aside.Get().MatchString(lines[end]) {
				end++
			}
			return label.Get().ReplaceAllString(sentence(lines[i:end], program), "")
		}
	}
	return ""
}

// listsOption reports whether a line lists an option. Usage lines may go on with one, but do not say what it means.
func listsOption(line string, usage bool) bool {
	o := optionOf(strings.TrimSpace(line), 0)
	return o.name() != "" && (!usage || o.Help != "")
}

// begins reports whether a line begins as a sentence does.
func begins(line string) bool {
	return line[0] >= 'A' && line[0] <= 'Z' && len(strings.Fields(line)) > 2
}

func isText(line string) bool {
	return line != "" && !strings.ContainsAny(line[:1], " \t-") && !strings.HasSuffix(line, ":") &&
		len(strings.Fields(line)) > 1
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
	first, _, _ := strings.Cut(string(text[:min(256, len(text))]), "\n")
	if line, ok := strings.CutPrefix(first, "#!"); ok {
		for _, word := range strings.Fields(line) {
			switch base := filepath.Base(word); {
			case base == "bash", base == "sh", base == "dash", base == "ash", base == "ksh", base == "zsh":
				return "shell"
			case strings.HasPrefix(base, "python"):
				return "python"
			case strings.HasPrefix(base, "ruby"), strings.HasPrefix(base, "perl"):
				return base[:4]
			case base == "node", base == "nodejs", base == "bun", base == "deno", base == "tsx":
				return "node"
			case strings.HasSuffix(base, "awk"):
				return "awk"
			}
		}
		return ""
	}
	return endings[strings.ToLower(filepath.Ext(name))]
}

var endings = map[string]string{
	".sh": "shell", ".bash": "shell", ".py": "python", ".pl": "perl", ".rb": "ruby", ".awk": "awk",
	".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node",
}
