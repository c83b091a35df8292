package adopt

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A usage is what a usage text says about a program: the text that --help prints, or the lines of
// the script that print it.
type usage struct {
	synopsis
	options []Option    // that are listed with what they mean, or else those of the synopsis
	shown   bool        // a line shows how the program is called
	forms   bool        // other lines show other forms, which an option selects
	line    int         // of it
	about   description // what the program does, below these lines
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
	before = lazyregexp.New("^\\s*(?:(?:#+|//+|/\\*+|\\*+|--|;+)(?:\\s|$)|" +
		"(?:echo|printf|print|puts|die|warn|say|console\\.\\w+|process\\.\\w+\\.write|" +
		"sys\\.\\w+\\.write|program\\.usage)\\b" +
		"\\s*\\(?\\s*(?:STDERR\\s+|-e\\s+|-n\\s+|--\\s+|>&2\\s+)?\\$?[fr]?[\"'`])")
	// after matches what follows it.
	after = lazyregexp.New("[\"'`]\\s*(?:(?:>&2|1>&2|;|\\)|,|%).*)?$")
	// quotedUsage matches the beginning of a usage text in a string that stands anywhere, and a string that is a line of a
	// text.
	quotedUsage = lazyregexp.New("(?i)^(?:.*?([\"'`])\\s*(usage\\b.*)|\\s*([\"'`])((?:\\\\[tn]|\\s).*))$")
	// calling matches a line that shows how a program is called, and heading one that stands over such lines.
	calling = lazyregexp.New(`(?i)^\s*(?:usage|synopsis)(:|\s)\s*(\S.*)$`)
	heading = lazyregexp.New(`(?i)^\s*(?:usage|=head1 (?:usage|synopsis)|synopsis)\s*:?\s*$`)
	// announced matches a heading of a list of options.
	announced = lazyregexp.New(`(?i)^\W*(?:=head\d )?(?:\w+ )?(?:options|arguments|flags|switches|parameters)\b.{0,9}$`)
	// listedOption matches an option in a list of options: -n, --count=N, --count N, --count <N>, --colour[=WHEN].
	listedOption = lazyregexp.New(`^(--?[A-Za-z0-9?][\w-]*)(?:(\[?=|\s)` +
		`(?:[<\[{]+([A-Za-z][^<>\[\]{}]*)[>\]}]+|([A-Z][A-Z0-9_:./,|-]*|[a-z][\w-]*(?:\|[\w.-]+)*))` +
		`\]?(?:\.\.\.)?)?(?:\s*[,|/]\s*|\s*$|\s+)`)
	// both matches the names of an option in columns.
	both = lazyregexp.New(`^(-\w),?\s{2,}(--\w)`)
	// documentation matches a part of a Perl script that is documentation.
	documentation = lazyregexp.New(`(?ms)^=[a-z].*?(?:^=(?:cut|end)\b|\z)`)
	// pod matches a formatting code of Perl's documentation.
	pod      = lazyregexp.New(`\b[BIFCSL](?:<[^<>]*>|<<[^<>]*>>)`)
	podShort = lazyregexp.New(`B<(-\w)>I<([^<>]*)>`)
	// attached matches an option with its value, and others for the same.
	attached = lazyregexp.New(`^(-[A-Za-z])<([^<>]+)>(?:, (--[\w-]+)=?(?:<[^<>]*>|[A-Z_]*))?$`)
	// gap separates an option from its description.
	gap = lazyregexp.New(`\s{2,}(?:[:-]\s+)?|\t+|\s+[#:-]\s+|:\s+`)
)

// usageOfScript reads the text in the lines of a script.
func usageOfScript(lines []string, program string) usage {
	var texts []textLine
	original := lines
	if text := strings.Join(lines, "\n"); documentation.Get().MatchString(text) {
		original = strings.Split(undocumented(text), "\n")
		lines = strings.Split(documentation.Get().ReplaceAllStringFunc(text, plain), "\n")
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "=item -") {
			line = item(lines[i:])
		}
		text, quote, closed := line, false, false
		line = itself.Get().ReplaceAllString(line, "PROG")
		if m := quotedUsage.Get().FindStringSubmatch(line); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			mark := m[1] + m[3]
			text, quote = m[2]+m[4], true
			if end := strings.Index(text, mark); end >= 0 && !strings.Contains(text, `\`+mark) {
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
	u := readUsage(texts, program)
	for i, o := range u.options {
		if slices.ContainsFunc(o.Enum, func(value string) bool { return !isCoded(original, value, o.Line) }) {
			if u.options[i].Enum = nil; find(u.options[i+1:], o.Short, o.Long) == nil { // names of things, perhaps
				u.options[i].Help = cmp.Or(o.Help, strings.Join(o.Enum, "|"))
			}
		}
		u.options[i].coded = slices.ContainsFunc([]string{o.Short, o.Long}, func(name string) bool {
			return name != "" && isCoded(original, name, o.Line)
		})
	}
	return u
}

// undocumented returns a script with empty lines for Perl's documentation.
func undocumented(text string) string {
	return documentation.Get().ReplaceAllStringFunc(text, func(part string) string {
		return strings.Repeat("\n", strings.Count(part, "\n"))
	})
}

// plain returns a part of Perl's documentation without its formatting: B<-v>, I<file>, S<[I<file>]>.
func plain(line string) string {
	line = podShort.Get().ReplaceAllString(line, "$1\x01$2\x02") // B<-o>I<dir> is -o<dir>
	for pod.Get().MatchString(line) {
		line = pod.Get().ReplaceAllStringFunc(line, func(code string) string {
			inner := strings.Trim(strings.Trim(code[1:], "<>"), " ")
			if code[0] == 'I' || code[0] == 'F' {
				return strings.ToUpper(strings.ReplaceAll(inner, " ", "_"))
			}
			return inner
		})
	}
	return strings.NewReplacer("\x01", "<", "\x02", ">").Replace(line)
}

// item returns the items of Perl's documentation that begin with the first line, and the text below them, as a help
// text has them: on one line.
func item(lines []string) string {
	var names, text []string
	for _, line := range lines {
		name, isItem := strings.CutPrefix(line, "=item ")
		switch {
		case isItem && len(text) == 0 && strings.HasPrefix(name, "-"):
			names = append(names, name)
		case line == "" && len(text) == 0:
		case line == "" || strings.HasPrefix(line, "="):
			return strings.Join(names, ", ") + "  " + strings.Join(text, " ")
		default:
			text = append(text, strings.TrimSpace(line))
		}
	}
	return strings.Join(names, ", ")
}

// isCoded reports whether code, in another line than the text about an option, has its name as a string, a pattern or a
// part of one.
func isCoded(lines []string, name string, but int) bool {
	for i, line := range lines {
		at := strings.Index(line, name)
		if at < 0 || i+1 == but || remark.Get().MatchString(line) {
			continue
		}
		front := strings.TrimRight(line[:at], " \t")
		back := strings.TrimLeft(line[at+len(name):], " \t")
		if (front == "" || strings.HasSuffix(front, " in") || strings.ContainsAny(front[len(front)-1:], "\"'/|(^{:")) &&
			back != "" && strings.ContainsAny(back[:1], "\"'/|)$=*}\\") {
			return true
		}
	}
	return false
}

// readUsage reads lines of text.
func readUsage(lines []textLine, program string) (u usage) {
	var forms []synopsis
	listed := program == "" // a line announces options
	documented := false     // it is Perl's documentation
	margin := 1 << 10       // of the options; what is further to the right is a text about them
	rows := true            // the paragraph begins with an option, so its words do not make sentences
	fresh, last := true, 0  // a line that ends a paragraph is before this one, whose indentation was last
	for i := range lines {
		lines[i].text = strings.NewReplacer("--[no-]", "--", "--[no]", "--").Replace(lines[i].text)
	}
	for i := 0; i < len(lines); i++ {
		text, at := strings.TrimRight(lines[i].text, " \t\r"), lines[i].line
		listed = listed || announced.Get().MatchString(text)
		documented = documented || strings.HasPrefix(text, "=head")
		indent := len(text) - len(strings.TrimLeft(text, " \t"))
		if fresh || indent != last {
			rows = strings.HasPrefix(text[indent:], "-")
		}
		fresh, last = text == "" || announced.Get().MatchString(text), indent
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
				width := len(strings.ReplaceAll(next[:len(next)-len(trimmed)], "\t", "        "))
				first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(trimmed, "$ "), "or: "), " ")
				self := filepath.Base(first) == program && program != "" || first == "PROG" ||
					len(called) > 0 && len(first) > 2 && strings.HasPrefix(called[0], first+" ")
				if trimmed == "" && i == from && len(called) == 0 {
					i++
					from++
					continue
				}
				if trimmed == "" && len(called) > 0 && i+2 < len(lines) && names(lines[i+2].text, nameIn(called[0], program)) &&
					len(lines[i+2].text)-len(strings.TrimLeft(lines[i+2].text, " \t")) == indent {
					i++ // another form
					continue
				}
				last := strings.Join(called[max(0, len(called)-1):], "")
				goesOn := strings.HasPrefix(trimmed, "[") || strings.Count(last, "[") > strings.Count(last, "]")
				if trimmed == "" || strings.HasSuffix(trimmed, ":") || width == 0 && !self && len(called) > 0 && !goesOn {
					break
				}
				if optionOf(next, 0).name() != "" && len(called) > 0 && !strings.HasPrefix(trimmed, "[") {
					break
				}
				if len(called) == 0 || self || width == indent && !goesOn {
					one := strings.TrimPrefix(strings.TrimPrefix(trimmed, "$ "), "or: ")
					if m := calling.Get().FindStringSubmatch(one); m != nil {
						one = m[2] // Usage: below SYNOPSIS
					}
					called = append(called, one)
					indent = width
				} else if width >= 6 && indent < 0 || indent >= 0 && width > indent || goesOn {
					sentence := len(trimmed) > 1 && unicode.IsUpper(rune(trimmed[0])) && unicode.IsLower(rune(trimmed[1]))
					if !sentence && (strings.ContainsAny(trimmed, "[<{|") || strings.ContainsAny(trimmed[:1], "-(.$") ||
						slices.ContainsFunc(strings.Fields(trimmed), isPlaceholder) || !strings.Contains(trimmed, " ")) {
						called[len(called)-1] += " " + trimmed
					} // or else a text about it
				} else {
					break
				}
				i++
			}
			for _, one := range called {
				if one = itself.Get().ReplaceAllString(one, "PROG"); strings.Contains(one, "| PROG") ||
					program != "" && strings.Contains(one, "| "+program+" ") {
					continue // what it reads comes from another program
				}
				if isCommandLine(one, program) {
					forms = append(forms, readSynopsis(one, program, at))
				}
			}
			if len(forms) > 0 {
				u.shown, u.line = true, at
				u.about = below(lines[i:], program)
			}
			fresh = true
			continue
		}
		if o := optionOf(text, at); o.name() != "" && indent <= margin+len("-x, ") &&
			(documented || !strings.HasSuffix(text, `\`) && !strings.HasSuffix(lines[max(0, i-1)].text, `\`)) && // code
			(!o.loose || rows && (isOption(lines, i-1) || isOption(lines, i+1))) {
			o.listed, o.flowing = u.shown || listed && documented, documented && !o.Takes
			margin = min(margin, indent)
			u.options = append(u.options, o)
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

// endOfText matches a line that ends a text in a script.
var endOfText = lazyregexp.New("^(?:[A-Z][A-Z0-9_]*|\\W+|fi|done|exit\\b.*|.*:)$")

// below returns what a usage text says that the program does, below the first line, which shows how it is called.
func below(lines []textLine, program string) description {
	var paragraph []string
	indent := func(line textLine) int { return len(line.text) - len(strings.TrimLeft(line.text, " \t")) }
	for i, line := range lines[:min(30, len(lines))] {
		text := strings.TrimSpace(line.text)
		if i > 0 && indent(line) > indent(lines[0]) && !calling.Get().MatchString(lines[0].text) && program != "" {
			continue // about this form alone
		}
		if text == "echo" {
			text, line.quote = "", true
		}
		last := strings.Count(text, `"`) == 1 && strings.HasSuffix(text, `"`)
		end := i > 0 && lines[i-1].closed && !line.quote || isOption(lines, i) && optionOf(text, 0).Help != "" ||
			endOfText.Get().MatchString(strings.TrimLeft(line.text, "\t"))
		switch {
		case text == "" || end:
			about := described(paragraph, program)
			if about.text != "" && (unicode.IsUpper(rune(about.text[0])) || lines[i-1].quote) {
				return about // code is in lower case
			}
			paragraph = nil
		default:
			paragraph = append(paragraph, strings.TrimSuffix(text, `"`))
		}
		if end || last {
			break
		}
	}
	return described(paragraph, program)
}

// isOption reports whether a line shows an option, as the lines around a sentence that begins with one do not.
func isOption(lines []textLine, i int) bool {
	return i >= 0 && i < len(lines) && optionOf(lines[i].text, 0).name() != ""
}

// nameIn returns the name by which a line calls a program.
func nameIn(called, program string) string {
	word, _, _ := strings.Cut(called, " ")
	if base := filepath.Base(word); strings.Trim(base, nameLetters+".") == "" {
		return base
	}
	return program
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

// optionOf reads a line such as "  -n, --count=N   how many". It has no name if the line is no such one.
func optionOf(line string, at int) Option {
	text := both.Get().ReplaceAllString(strings.TrimSpace(line), "$1, $2")
	if inner, ok := strings.CutPrefix(text, "[-"); ok && strings.HasSuffix(inner, "]") && !strings.Contains(inner, "[") {
		text = "-" + strings.TrimSuffix(inner, "]")
	}
	if !strings.HasPrefix(text, "-") || strings.HasPrefix(text, "---") {
		return Option{}
	}
	head, help := text, ""
	if cut := gap.Get().FindStringIndex(text); cut != nil {
		head, help = text[:cut[0]], text[cut[1]:]
	}
	head = strings.NewReplacer("[ ", "[", " ]", "]", " | ", "|").Replace(head) // --level [ low | high ]
	o := Option{Value: Value{Help: strings.Trim(help, "#: \t\""), Line: at, From: head}}
	if m := attached.Get().FindStringSubmatch(head); m != nil { // -p<package>
		o.Short, o.Takes, o.Style, o.Variable, o.Long = m[1], true, Attached, ArgumentName(m[2]), m[3]
		if o.Long != "" {
			o.Style = Equals
		}
		return o
	}
	for rest := head + " "; strings.TrimSpace(rest) != ""; {
		m := listedOption.Get().FindStringSubmatch(rest)
		if m == nil {
			return Option{}
		}
		value := m[3] + m[4]
		if m[4] != "" && m[2] != "=" && strings.ToLower(m[4]) == m[4] && strings.TrimSpace(rest[len(m[0]):]) != "" {
			if o.Help != "" && !strings.HasPrefix(rest[len(m[0]):], "-") {
				return Option{} // --arg NAME VALUE cannot be one argument of a tool
			}
			o.addName(m[1]) // -v say more, with a single blank
			o.loose = true
			if o.Help == "" {
				o.Help = strings.TrimSpace(rest[len(m[1]):])
			}
			break
		}
		rest = rest[len(m[0]):]
		o.addName(m[1])
		if value != "" {
			o.Takes, o.Type, o.either = true, kindOf(value), m[2] == "[="
			if m[2] == "=" || o.either {
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
			o.Help, o.loose = strings.TrimSpace(rest), true
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
