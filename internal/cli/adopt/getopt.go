package adopt

import (
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// readCalls reads a script in Perl, Ruby or JavaScript: its calls of a library that reads options, what it
// takes of its arguments by number, and its usage text.
func readCalls(text []byte, kind, program string) Reading {
	comment := "#"
	if kind == "node" {
		comment = "//"
	}
	p := calls{all: tokens(string(text), comment), owners: make(map[string]int)}
	p.Known = true
	current := "" // the chain of a subcommand of commander
	for i, t := range p.all {
		switch {
		case t.kind != tokenName:
			if t.text == ";" {
				current = ""
			}
			continue
		case kind == "perl" && (t.text == "GetOptions" || t.text == "GetOptionsFromArray") &&
			!strings.Contains("); :", p.at(i+1).text):
			p.getOptions(i)
		case kind == "perl" && (t.text == "getopts" || t.text == "getopt") && p.at(i+1).text == "(" && !p.before(i, ">"):
			p.getoptStd(i)
		case kind == "ruby" && t.text == "on" && p.before(i, "."):
			p.optparse(i)
		case kind == "node" && p.at(i+1).text == "(":
			current = p.javascript(i, current, program)
		case t.text == "program" && kind == "node":
			current = ""
		}
	}
	p.numbered(kind, string(text))
	lines := strings.Split(string(text), "\n")
	p.fetches(lines)
	p.compare(strings.Split(undocumented(string(text)), "\n"))
	if len(p.Options)+len(p.Positions)+len(p.Commands) == 0 && p.Beside && !p.Stdin {
		p.Known = false // another file may read them
	}
	code, _, _ := strings.Cut(undocumented(string(text)), "\n__END__")
	if strings.HasSuffix(program, ".pl") && loaded.Get().MatchString(code) && !acting.Get().MatchString(code) ||
		(!strings.HasPrefix(string(text), "#!") || strings.HasSuffix(program, ".pm")) && exports.Get().Match(text) {
		p.Idle = "only defines functions or classes, for other scripts to import; adopt those"
	}
	u := p.usage
	if !u.shown {
		u = usageOfScript(lines, program)
	}
	p.describe(lines, program, u)
	if len(p.Options) > 0 {
		p.Dashes = true
	}
	if o := p.find("-h", ""); o != nil && kind == "perl" && o.Long == "" {
		used := hinted.Get().FindAllString(undocumented(string(text)), -1)
		o.does = len(used) > 0 && !informing.Get().MatchString(strings.Join(used, "\n"))
	}
	p.Options = withoutHelp(p.Options)
	files := len(p.Positions) == 1 && p.Positions[0].Name == "files"
	if p.settle(u); files && slices.ContainsFunc(u.positions, func(at Position) bool { return at.Required }) {
		p.Stdin = u.stdin // the files that the usage names, instead of it
	}
	if len(p.Options)+len(p.Positions)+len(p.Commands) == 0 && p.Known && !p.Stdin {
		p.doubt(0, "it shows no use of its arguments; if it takes some, describe them")
	}
	return p.Reading
}

// hinted matches a statement of Perl that asks for the option -h.
var hinted = lazyregexp.New(`[^;{}]*(?:\bif\b|\bunless\b|&&|\band\b)[^;{}]*(?:\$opt_h\b|\{['"]?h['"]?\})[^;]*;`)

// exports matches what only a module has: what it gives to those who load it.
var exports = lazyregexp.New(`(?m)^(?:(?:module\.)?exports\b|export |package \w[\w:]*;)`)

// loaded matches the end of a file of Perl for others to load, and acting a line of one that does more than define.
var (
	loaded = lazyregexp.New(`\n1;\s*(?:#.*\s*)*$`)
	acting = lazyregexp.New(`(?m)^(?:(?:print|exit|exec|system|die|while|for|foreach|if|unless|eval|open|push)\b|` +
		`[\w:&]+\(|[\w:]+->|[a-z]\w*;|[^#\s].*(?:@ARGV|\b(?:shift|caller)\b))`)
)

// specification matches what GetOptions reads: timeout|t=i, name:s, verbose!, v+.
var specification = lazyregexp.New(`^([\w?|-]+)(?:([=:])([sifo]|\d+|\+)?([@%])?(?:\{.*\})?|[!+])?$`)

func (p *calls) getOptions(i int) {
	all := p.arguments(i)
	for _, a := range all {
		if len(a.value) == 2 && strings.Contains("%@", a.value[0].text) { // GetOptions(%options)
			all = append(all, p.list(a.value[0].text, a.value[1].text)...)
		}
	}
	found := len(p.Options)
	for _, a := range all {
		text := a.value[0].text
		named := a.value[0].kind == tokenName && len(a.value) > 2 && a.value[1].text == "=" // verbose => \$v
		if !named && a.value[0].kind != tokenString {
			continue
		}
		m := specification.Get().FindStringSubmatch(text)
		if m == nil {
			if text != "<>" {
				p.doubt(a.value[0].line, "the option "+text+" is not understood")
			}
			continue
		}
		o := Option{Takes: m[2] != "", Value: Value{Line: a.value[0].line, From: text}}
		for _, name := range strings.Split(m[1], "|") {
			if len(name) == 1 {
				o.addName("-" + name)
			} else {
				o.addName("--" + name)
			}
		}
		o.Type = map[string]string{"i": "integer", "o": "integer", "f": "number"}[m[3]]
		o.negates = len(o.Long) > 2 && strings.HasSuffix(text, "!")
		if n := len(a.value); n > 3 && o.Long != "" && a.value[n-2].text == "$" { // => \$count
			o.Variable = a.value[n-1].text
		}
		o.List = m[4] == "@" || slices.ContainsFunc(a.value, func(t token) bool { return t.text == "push" }) ||
			len(a.value) > 3 && a.value[len(a.value)-2].text == "@" || strings.Contains(text, "{")
		if m[4] == "%" {
			o.Help = "KEY=VALUE"
			o.List = true
		}
		o.finish()
		if !slices.ContainsFunc(p.Options, func(k Option) bool { // "noconf" => \$n, "no-conf" => \$n
			return k.Variable != "" && k.Variable == o.Variable && k.Takes == o.Takes
		}) {
			p.Options = append(p.Options, o.both()...)
		}
	}
	if len(p.Options) == found {
		p.Known = false
		p.doubt(p.all[i].line, "the options of GetOptions are not literals")
	}
}

// list returns the elements of a hash or an array: %name = (…).
func (p *calls) list(sign, name string) []argument {
	for i, t := range p.all {
		if t.text == name && p.before(i, sign) && p.at(i+1).text == "=" && p.at(i+2).text == "(" {
			return p.arguments(i + 1)
		}
	}
	return nil
}

// getoptStd reads getopts("ab:").
func (p *calls) getoptStd(i int) {
	if all := p.arguments(i); len(all) > 0 {
		letters, _ := all[0].text()
		p.letters(letters, i, p.all[i].text == "getopt")
	}
}

// letters reads the options of a call at token i, as getopt(3) has them; takes means that all have a value.
func (p *calls) letters(letters string, i int, takes bool) {
	for n, letter := range letters {
		if letter == ':' || letter == '-' {
			continue
		}
		o := optionNamed("-"+string(letter), p.all[i].line)
		o.Takes = strings.HasPrefix(letters[n+len(string(letter)):], ":") || takes
		o.finish()
		p.Options = append(p.Options, o)
	}
}

// optparse reads opts.on("-n", "--name NAME", Integer, "whom to greet") of Ruby.
func (p *calls) optparse(i int) {
	o := Option{Value: Value{Line: p.all[i].line}}
	for _, a := range p.arguments(i) {
		text, ok := a.text()
		if !ok && a.value[0].kind == tokenString { // "-v" do |v|
			text, ok = a.value[0].text, true
		}
		switch {
		case ok && strings.HasPrefix(text, "-"):
			name, value, takes := strings.Cut(strings.ReplaceAll(text, "=", " "), " ")
			o.negates = o.negates || strings.Contains(name, "[no-]")
			name = strings.Replace(name, "[no-]", "", 1)
			if strings.HasSuffix(name, "[") {
				name, takes, value = strings.TrimSuffix(name, "["), true, strings.TrimSuffix(value, "]")
			}
			if len(name) > 2 && name[1] != '-' { // -nNAME
				name, value, takes = name[:2], name[2:], true
			}
			o.addName(name)
			o.Takes = o.Takes || takes
			if value = strings.Trim(value, "[]<>"); isName(value) {
				o.Variable = value
			}
		case ok && o.Help == "":
			o.Help = text
		case types[a.word()] != "":
			o.Type = types[a.word()]
		case a.word() == "Array":
			o.Help = strings.TrimSpace(o.Help + " (separated by commas)")
		default:
			if values, ok := a.list(); ok {
				o.Enum = values
			} else if words := a.words(); len(words) > 0 {
				o.Enum = words
			}
		}
	}
	if o.name() == "" {
		return
	}
	o.From = o.Short + o.Long
	o.finish()
	p.Options = append(p.Options, o.both()...)
}

// words returns the names of a list: [:text, :json], %w[text json].
func (a argument) words() (all []string) {
	if len(a.value) < 3 || a.value[0].text != "[" && a.value[0].text != "%" {
		return nil
	}
	for _, t := range a.value[1:] {
		if t.kind == tokenName && t.text != "w" && t.text != "i" {
			all = append(all, t.text)
		}
	}
	return all
}
