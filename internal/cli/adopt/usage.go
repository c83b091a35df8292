package adopt

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A usage is what a usage text says about a program: the text that --help prints, or the lines of
// the script that print it.
type usage struct {
	synopsis
	options []Option // that are listed with what they mean, or else those of the synopsis
	shown   bool     // a line shows how the program is called
	forms   bool     // other lines show other forms, which an option selects
	line    int      // of it
}

// A textLine is a line of text, and where it is.
type textLine struct {
	text   string
	line   int
	quote  bool // it is in a comment or a string
	closed bool // which ends with it, so what follows is code
}

var (
	// before matches what precedes a line of usage text in a script.
	before = lazyregexp.New("^\\s*(?:(?:#+|//+|/\\*+|\\*+|--|;+)(?:\\s|$)|(?:echo|printf|print|puts|die|warn|say|console\\.\\w+|process\\.\\w+\\.write|sys\\.\\w+\\.write|program\\.usage)\\b\\s*\\(?\\s*(?:STDERR\\s+|-e\\s+|-n\\s+|--\\s+|>&2\\s+)?\\$?[fr]?[\"'`])")
	// after matches what follows it.
	after = lazyregexp.New("[\"'`]\\s*(?:(?:>&2|1>&2|;|\\)|,|%).*)?$")
	// quotedUsage matches the beginning of a usage text in a string that stands anywhere.
	quotedUsage = lazyregexp.New("(?i)^.*?([\"'`])\\s*(usage\\b.*)$")
	// calling matches a line that shows how a program is called, and heading one that stands over such lines.
	calling = lazyregexp.New(`(?i)^\s*(?:usage|synopsis)(:|\s)\s*(\S.*)$`)
	heading = lazyregexp.New(`(?i)^\s*(?:usage|=head1 (?:usage|synopsis)|synopsis)\s*:?\s*$`)
	// spec matches an option in a list of options: -n, --count=N, --count N, --count <N>, --colour[=WHEN].
	spec = lazyregexp.New(`^(--?[A-Za-z0-9?][\w-]*)(?:(\[?=|\s)(?:[<\[{]+([A-Za-z][^<>\[\]{}]*)[>\]}]+|([A-Z][A-Z0-9_:./,|-]*|[a-z]\w*(?:\|[\w.-]+)*))\]?(?:\.\.\.)?)?(?:\s*[,|/]\s*|\s*$|\s+)`)
	// both matches the names of an option in columns.
	both = lazyregexp.New(`^(-\w),?\s{2,}(--\w)`)
	// pod matches a formatting code of Perl's documentation.
	pod = lazyregexp.New(`\b[BIFCS]<[^<>]*>`)
	// attached matches an option with its value.
	attached = lazyregexp.New(`^(-[A-Za-z])<([^<>]+)>$`)
	// gap separates an option from its description.
	gap = lazyregexp.New(`\s{2,}(?:[:-]\s+)?|\t+|\s+[#:-]\s+|:\s+`)
)

// usageOfScript reads the text in the lines of a script.
func usageOfScript(lines []string, program string) usage {
	var texts []textLine
	for i, line := range lines {
		for pod.Get().MatchString(line) { // of Perl: B<-v>, I<file>, S<[I<file>]>
			line = pod.Get().ReplaceAllStringFunc(line, func(code string) string {
				if code[0] == 'I' || code[0] == 'F' {
					return strings.ToUpper(strings.ReplaceAll(code[2:len(code)-1], " ", "_"))
				}
				return code[2 : len(code)-1]
			})
		}
		text, quote, closed := line, false, false
		line = itself.Get().ReplaceAllString(line, "PROG")
		if m := quotedUsage.Get().FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			text, quote = m[2], true
			if end := strings.Index(text, m[1]); end >= 0 && !strings.Contains(text, `\`+m[1]) {
				text, closed = text[:end], true
			}
		} else if at := before.Get().FindStringIndex(line); at != nil {
			text, quote = line[at[1]:], true
			cut := after.Get().ReplaceAllString(text, "")
			text, closed = cut, cut != text || strings.TrimRight(line[:at[1]], " \t#/*;-") == ""
		}
		text = strings.ReplaceAll(text, `\t`, "\t")
		for _, one := range strings.Split(text, `\n`) {
			texts = append(texts, textLine{one, i + 1, quote, closed})
		}
	}
	return readUsage(texts, program)
}

// readUsage reads lines of text.
func readUsage(lines []textLine, program string) (u usage) {
	var forms []synopsis
	margin := 0 // of the options; what is further to the right is a text about them
	for i := 0; i < len(lines); i++ {
		text, at := strings.TrimRight(lines[i].text, " \t\r"), lines[i].line
		var called []string
		if m := calling.Get().FindStringSubmatch(text); m != nil && !u.shown && (m[1] == ":" || lines[i].quote) {
			called = []string{m[2]}
		} else if heading.Get().MatchString(text) &&
			(strings.Contains(text, ":") || showsCall(lines[i+1:], program) || lines[i].quote ||
				strings.HasPrefix(text, "=head1") || program == "") && !u.shown {
			called = []string{}
		}
		if called != nil {
			from := i
			indent := -1
			for i+1 < len(lines) { // argparse continues in indented lines, others begin there
				if lines[i].closed && !lines[i+1].quote {
					break
				}
				next := strings.TrimRight(lines[i+1].text, " \t\r")
				trimmed := strings.TrimSpace(next)
				width := len(next) - len(strings.TrimLeft(next, " \t"))
				first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(trimmed, "$ "), "or: "), " ")
				self := filepath.Base(first) == program && program != "" || first == "PROG"
				if trimmed == "" && i == from && len(called) == 0 {
					i++
					from++
					continue
				}
				if trimmed == "" && len(called) > 0 && i+2 < len(lines) && program != "" && names(lines[i+2].text, program) &&
					len(lines[i+2].text)-len(strings.TrimLeft(lines[i+2].text, " \t")) == indent {
					i++ // another form
					continue
				}
				if trimmed == "" || strings.HasSuffix(trimmed, ":") || width == 0 && !self && len(called) > 0 {
					break
				}
				if optionOf(next, 0).name() != "" && len(called) > 0 && !strings.HasPrefix(trimmed, "[") {
					break
				}
				if len(called) == 0 || self || width == indent {
					called = append(called, strings.TrimPrefix(strings.TrimPrefix(trimmed, "$ "), "or: "))
					indent = width
				} else if width >= 6 && indent < 0 || indent >= 0 && width > indent {
					called[len(called)-1] += " " + trimmed
				} else {
					break
				}
				i++
			}
			for _, one := range called {
				if piped := strings.LastIndex(one, "| "+program+" "); piped > 0 && program != "" {
					continue // what it reads comes from another program
				}
				if isCommandLine(one, program) {
					forms = append(forms, readSynopsis(one, program, at))
				}
			}
			if len(forms) > 0 {
				u.shown, u.line = true, at
			}
			continue
		}
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		if o := optionOf(text, at); o.name() != "" && (len(u.options) == 0 || indent <= margin+len("-x, ")) {
			margin = min(margin, indent)
			if u.options = append(u.options, o); len(u.options) == 1 {
				margin = indent
			}
			continue
		}
		if n := len(u.options); n > 0 && u.options[n-1].Line == at-1 && u.options[n-1].Help == "" &&
			strings.HasPrefix(text, "      ") {
			u.options[n-1].Help = strings.TrimSpace(text) // on a line of its own
		}
	}
	u.join(forms)
	return u
}

// names reports whether a line shows a call of the program, by its name, and is not a sentence about it.
func names(line, program string) bool {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	return filepath.Base(word) == program && !strings.HasPrefix(rest, "- ") && isCommandLine(line, program) &&
		!strings.HasSuffix(strings.TrimSuffix(rest, "..."), ".")
}

// showsCall reports whether the next line shows a call: of the program, or after a prompt.
func showsCall(lines []textLine, program string) bool {
	for _, line := range lines[:min(2, len(lines))] {
		if words := strings.Fields(line.text); len(words) > 1 {
			return words[0] == "$" || filepath.Base(words[0]) == program
		}
	}
	return false
}

// isCommandLine reports whether a text shows a command line, and is not a sentence.
func isCommandLine(text, program string) bool {
	words := strings.Fields(itself.Get().ReplaceAllString(text, "PROG"))
	if len(words) == 0 || strings.HasSuffix(words[0], "()") || strings.HasPrefix(words[0], "=") {
		return false
	}
	base := filepath.Base(words[0])
	stem := strings.TrimSuffix(program, filepath.Ext(program))
	if strings.HasPrefix(words[0], "PROG") || program != "" && (base == program || base == stem) ||
		strings.ContainsAny(text, "[<") || slices.ContainsFunc(words[1:], isPlaceholder) {
		return true
	}
	return len(words) <= 4 && !strings.HasSuffix(text, ".") && strings.Trim(base, nameLetters+".") == ""
}

// join makes one of several forms of the command line. What only some of them show is optional.
func (u *usage) join(forms []synopsis) {
	if len(forms) == 0 {
		return
	}
	if u.synopsis = forms[0]; u.commands(forms) {
		forms = forms[:1]
	}
	for _, f := range forms[1:] {
		if f.selected && !u.selected {
			u.forms = true
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
		known := find(u.options, o.Short, o.Long)
		if known == nil {
			u.options = append(u.options, o)
			continue
		}
		known.Required = known.Required || o.Required && known.Takes
		known.Takes = known.Takes || o.Takes && !o.Required
		if known.Variable == "" {
			known.Variable = o.Variable
		}
		if known.Enum == nil {
			known.Enum = o.Enum
		}
	}
}

// commands reads forms that begin with different words, which are the commands of the program: what follows them is the
// same for all, or else a list.
func (u *usage) commands(forms []synopsis) bool {
	var names, texts []string
	rest, same, all := []Position(nil), true, []Option(nil)
	for i, f := range forms {
		if len(f.positions) == 0 || !f.positions[0].fixed || f.open {
			if f.selected && i > 0 { // --help
				continue
			}
			return false
		}
		if len(names) > 0 {
			same = same &&
				slices.EqualFunc(rest, f.positions[1:],
					func(a, b Position) bool { return a.Name == b.Name && a.Required == b.Required })
		}
		rest, all = f.positions[1:], append(all, f.options...)
		texts = append(texts, f.text)
		if name := f.positions[0].From; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return false
	}
	first := u.positions[0]
	first.Name, first.Enum, first.Type, first.Required = "command", names, "string", true
	if !same {
		rest = []Position{{Name: "arguments",
			Value: Value{List: true, Line: first.Line, From: "its usage", Help: "the forms are: " + strings.Join(texts, "; ")}}}
	}
	u.positions, u.synopsis.options = append([]Position{first}, rest...), all
	return true
}

// optionOf reads a line such as "  -n, --count=N   how many". It has no name if the line is no such one.
func optionOf(line string, at int) Option {
	text := both.Get().ReplaceAllString(strings.TrimSpace(line), "$1, $2")
	if !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "---") {
		return Option{}
	}
	head, help := text, ""
	if cut := gap.Get().FindStringIndex(text); cut != nil {
		head, help = text[:cut[0]], text[cut[1]:]
	}
	o := Option{Value: Value{Help: strings.TrimSpace(strings.TrimLeft(help, "#: ")), Line: at, From: head}}
	if m := attached.Get().FindStringSubmatch(head); m != nil { // -p<package>
		o.Short, o.Takes, o.Style, o.Variable = m[1], true, Attached, ArgumentName(m[2])
		return o
	}
	for rest := head + " "; strings.TrimSpace(rest) != ""; {
		m := spec.Get().FindStringSubmatch(rest)
		if m == nil {
			return Option{}
		}
		value := m[3] + m[4]
		if m[4] != "" && m[2] != "=" && strings.ToLower(m[4]) == m[4] && strings.TrimSpace(rest[len(m[0]):]) != "" {
			if o.Help != "" && !strings.HasPrefix(rest[len(m[0]):], "-") {
				return Option{} // --arg NAME VALUE cannot be one argument of a tool
			}
			o.addName(m[1]) // -v say more, with a single blank
			if o.Help == "" {
				o.Help = strings.TrimSpace(rest[len(m[1]):])
			}
			break
		}
		rest = rest[len(m[0]):]
		o.addName(m[1])
		if value != "" {
			if m[2] == "[=" {
				return Option{} // an optional value cannot be an argument of a tool
			}
			o.Takes, o.Type = true, kindOf(value)
			if m[2] == "=" {
				o.Style = Equals
			}
			if o.Variable == "" && isName(value) {
				o.Variable = value
			}
			if values := strings.FieldsFunc(value, func(r rune) bool { return r == '|' || r == ',' }); len(values) > 1 &&
				value != strings.ToUpper(value) && !strings.HasSuffix(strings.TrimSpace(m[0]), "|") {
				o.Enum = values
			}
		}
		if strings.HasPrefix(rest, "-") {
			continue
		}
		if m[4] != "" && strings.TrimSpace(rest) != "" && o.Help == "" { // -n NUM how many
			o.Help = strings.TrimSpace(rest)
			break
		}
	}
	return o
}

// kindOf returns the type of values that the name of one says, as in --last int.
func kindOf(name string) string {
	switch name {
	case "int", "INT", "uint", "integer", "INTEGER":
		return "integer"
	case "float", "FLOAT", "float64":
		return "number"
	}
	return ""
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func isName(text string) bool { return strings.Trim(text, nameLetters) == "" }

// settle joins what the code of a script shows with what its usage text says: the usage decides the
// positions, the code the options and the values. Where they disagree, a doubt says so.
func (r *Reading) settle(u usage) {
	for _, described := range u.options {
		if o := r.find(described.Short, described.Long); o != nil {
			if described.Takes && !o.Takes && !isHelp(*o) {
				r.doubt(described.Line, "its usage text shows a value of "+o.Short+o.Long+", but its code takes none")
			}
			o.explain(described)
		}
	}
	switch given := withoutHelp(u.options); {
	case len(r.Options) == 0 && len(given) > 0:
		r.Options, r.Dashes = given, !r.Known
		if r.Known {
			r.doubt(cmp.Or(u.line, given[0].Line), "its usage text names arguments that its code does not show: check them")
		}
	case !r.exact:
		for _, o := range given {
			if r.find(o.Short, o.Long) == nil {
				r.doubt(o.Line, "its usage text names "+o.From+", which its code does not read")
			}
		}
	}
	if !u.shown {
		return
	}
	if u.late && r.Dashes && !r.exact {
		r.doubt(u.line, "its usage line shows arguments before options, but they come behind them here: try it")
	}
	if u.open {
		r.Known = r.Known && len(r.Positions) > 0
		r.doubt(u.line, "its usage line is not understood, so the arguments are those of its code")
		return
	}
	known := r.Known
	r.Known = true
	if r.exact {
		for i := range min(len(r.Positions), len(u.positions)) {
			r.Positions[i].rename(u.positions[i].Name)
		}
		return
	}
	code := r.Positions
	switch {
	case len(u.positions) == 0 && len(code) > 0:
		for i := range code {
			code[i].Required = false
		}
		r.doubt(u.line, "its usage line shows no arguments, but its code uses "+code[0].From)
		return
	case len(code) == 0 && len(u.positions) > 0 && known && !r.Stdin:
		r.doubt(u.line, "its usage text names arguments that its code does not show: check them")
	}
	r.Positions = slices.Clone(u.positions)
	single := 0
	for i := range code {
		if !code[i].List {
			single++
		}
	}
	told := 0
	for _, p := range u.positions {
		if !p.List {
			told++
		}
	}
	if single > len(u.positions) || single == len(code) && single > 0 && single < told {
		r.doubt(u.line, fmt.Sprintf("its usage line shows %d arguments, but its code uses %d", len(u.positions), single))
	}
	for i := range r.Positions {
		if i >= len(code) {
			break
		}
		p, c := &r.Positions[i], code[i]
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
		p.Line, p.From = c.Line, c.From
		if p.Type == "" {
			p.Type = c.Type
		}
		if p.Enum == nil {
			p.Enum = c.Enum
		}
		if !p.Required {
			p.Default = c.Default
		}
	}
	if u.stdin {
		r.Stdin = true
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
	if o.Help == "" {
		o.Help = described.Help
	}
	if o.Long == "" && o.Variable == "" {
		o.Variable = described.Variable
	}
	if o.Takes && o.Enum == nil {
		o.Enum = described.Enum
	}
}
