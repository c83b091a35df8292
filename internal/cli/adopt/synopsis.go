package adopt

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A synopsis is what a line of usage shows of a command line: "backup [-v] SRC [DEST] FILE...".
type synopsis struct {
	text      string
	options   []Option
	positions []Position
	stdin     bool
	selected  bool // it shows an option that is not optional
	late      bool // an option stands behind a position
	before    int  // how many positions stand before the first option
	dashed    bool // a -- has come
	optioned  bool // a word stands for options, which are listed elsewhere
	open      bool // it has words that are not understood, so it may take more than is here
}

var (
	// itself matches the expressions by which scripts name themselves.
	itself = lazyregexp.New("\\$\\(\\s*basename\\s+(?:--\\s+)?[^()]*\\)|`basename\\s+[^`]*`|\\$\\{0[^}]*\\}|" +
		"\\$\\{?(?:0|PROGNAME|PROGRAM|SCRIPT_NAME|SCRIPT|ME|me|" +
		"prog|progname|program|script|BASENAME|self|PROG|PROGRAM_NAME)\\b\\}?" +
		`|#\{[^}]*\}|%prog\b|\{\}|%\(prog\)s|%s\b|\{sys\.argv\[0\]\}|\{__file__\}|\{os\.path\.basename\([^}]*\)\}`)
	// inserted matches a variable in a text.
	inserted = lazyregexp.New(`\$\{?(\w+)\}?`)
	// plural matches the end of file(s).
	plural = lazyregexp.New(`\(e?s\)`)
	// piece matches a token of a synopsis.
	piece = lazyregexp.New(`<[^\s<>=][^<>]*>|\.{2,}|…|[\[\](){}|]|"[^"]*"|'[^']*'|` +
		`[^\s\[\](){}|<>"'…]+?(?:\.{2,}|…)|[^\s\[\](){}|<>"'…]+|[<>"']`)
	// runners start programs of others, whose names follow.
	runners = strings.Fields("git python python3 perl ruby node bash sh zsh sudo npx awk php")
)

// A shown is a token of a synopsis.
type shown struct {
	text   string
	spaced bool // a blank is before it
}

// readSynopsis reads a synopsis of the program with a name, which may be empty.
func readSynopsis(text, program string, line int) (s synopsis) {
	text = itself.Get().ReplaceAllString(text, "PROG")
	text = plural.Get().ReplaceAllString(text, "...")
	text = inserted.Get().ReplaceAllString(text, "$1")
	all := withoutProgram(pieces(text), program)
	for _, t := range all {
		if t.spaced && s.text != "" {
			s.text += " "
		}
		s.text += t.text
	}
	if s.group(all, false, line); slices.ContainsFunc(s.options, isHelp) { // so those beside it are not required either
		for i := range s.options {
			s.options[i].Required = false
		}
	}
	return s
}

// pieces returns the tokens of a synopsis.
func pieces(text string) (all []shown) {
	for _, at := range piece.Get().FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		spaced := at[0] > 0 && (text[at[0]-1] == ' ' || text[at[0]-1] == '\t')
		if cut := strings.TrimRight(word, ".…"); cut != word && cut != "" && !strings.HasPrefix(word, "<") &&
			(strings.HasSuffix(word, "..") || strings.HasSuffix(word, "…")) {
			all = append(all, shown{cut, spaced}, shown{"...", false})
			continue
		}
		all = append(all, shown{word, spaced})
	}
	return all
}

// withoutProgram leaves out the name of the program, and that of the one that starts it: git u2.
func withoutProgram(all []shown, program string) []shown {
	stem := strings.TrimSuffix(program, filepath.Ext(program))
	for i := range min(3, len(all)) {
		base := filepath.Base(all[i].text)
		if base == program || strings.TrimSuffix(base, filepath.Ext(base)) == stem && stem != "" || all[i].text == "PROG" ||
			i > 0 && all[i-1].text+"-"+base == stem {
			return all[i+1:]
		}
	}
	for len(all) > 1 && slices.Contains(runners, all[0].text) {
		all = all[1:]
	}
	return all[min(1, len(all)):]
}

// opening maps brackets to those that close them.
var opening = map[string]string{"[": "]", "(": ")", "{": "}"}

// group reads the tokens inside brackets, or all of them.
func (s *synopsis) group(all []shown, optional bool, line int) {
	for i := 0; i < len(all); i++ {
		t := all[i]
		s.dashed = s.dashed || t.text == "--"
		switch {
		case t.text == "[" && !t.spaced && i+1 < len(all) && strings.HasPrefix(all[i+1].text, ","):
			i = closing(all, i) // NAME[,NAME...] is one word
		case i > 0 && !t.spaced &&
			(opening[t.text] != "" && isName(all[i-1].text) || isName(t.text) && strings.Contains("])}", all[i-1].text)):
			s.open = true // TYPE[.VERSION], (-o|--output=)json
			return
		case opening[t.text] != "":
			end := closing(all, i)
			s.bracket(all[i+1:end], optional || t.text == "[", line)
			i = end
		case strings.HasPrefix(t.text, "<-"): // <--read|--write>
			s.bracket(pieces(strings.Trim(t.text, "<>")), optional, line)
		case t.text == "<":
			s.stdin = true
			return
		// <NAME> | <REGEX> [<NAME>]
		case t.text == "|" && i+1 < len(all) && !isLiteral(all[i+1].text) && all[i+1].text != "PROG":
			s.open = true
			return
		case t.text == ">" || t.text == "|" || t.text == ";" || t.text == "#" || t.text == "&&" || t.text == "2>" ||
			t.text == "--" && i+1 == len(all):
			return
		case isEllipsis(t.text):
			s.repeat()
		case strings.HasPrefix(t.text, "-") && len(t.text) > 1 && t.text != "--":
			i = s.flag(all, i, optional, line)
		case i+2 < len(all) && all[i+1].text == "|" && (!all[i+1].spaced || isChoice(all[i:])):
			end := i + 1
			for end+1 < len(all) && all[end].text == "|" {
				end += 2
			}
			s.bracket(all[i:end], optional, line)
			i = end - 1
		case t.text == "-" || t.text == "--" || t.text == "+":
		case !s.word(t.text, optional, line):
			s.open = true
			return
		}
	}
}

// isChoice reports whether words with a | and blanks between are the values of one argument: on | off. Else the output
// goes to another program.
func isChoice(all []shown) bool {
	n := 0
	for ; 2*n+2 < len(all) && all[2*n+1].text == "|" && isLiteral(all[2*n].text); n++ {
		if _, ok := filters[all[2*n+2].text]; ok || !isLiteral(all[2*n+2].text) {
			return false
		}
	}
	return n > 1 || n == 1 && len(all) == 3
}

func isEllipsis(text string) bool {
	return text == "…" || len(text) > 1 && strings.Trim(text, ".") == ""
}

// closing returns the index of the bracket that closes the one at i, or the end.
func closing(all []shown, i int) int {
	depth := 0
	for n := i; n < len(all); n++ {
		switch all[n].text {
		case "[", "(", "{":
			depth++
		case "]", ")", "}":
			if depth--; depth == 0 {
				return n
			}
		}
	}
	return len(all)
}

// bracket reads what is between brackets, which may list alternatives.
func (s *synopsis) bracket(all []shown, optional bool, line int) {
	if or := slices.IndexFunc(all, func(t shown) bool { return t.text == "or" }); or > 0 { // [files or folders]
		all = all[:or]
	}
	alternatives := [][]shown{nil}
	for i := 0; i < len(all); i++ {
		if all[i].text == "|" {
			alternatives = append(alternatives, nil)
			continue
		}
		from, last := i, len(alternatives)-1
		if opening[all[i].text] != "" {
			i = min(closing(all, i), len(all)-1)
		}
		alternatives[last] = append(alternatives[last], all[from:i+1]...)
	}
	if last := len(all) - 1; last > 0 && slices.Contains(noise, strings.ToLower(all[last].text)) {
		s.optioned = true
		return // [build flags]
	}
	if len(alternatives) == 1 {
		if len(all) == 1 && strings.Contains(all[0].text, ",") { // {low,high}
			s.choice(strings.Split(strings.Trim(all[0].text, ","), ","), optional, line)
			return
		}
		s.group(all, optional, line)
		return
	}
	var words []string
	names := 0
	for _, one := range alternatives {
		if len(one) == 1 && isLiteral(one[0].text) {
			words = append(words, one[0].text)
		}
		if len(one) > 0 && strings.HasPrefix(one[0].text, "-") && len(one[0].text) > 1 {
			names++
		}
	}
	if one := alternatives[0]; len(one) == 2 && strings.HasPrefix(one[0].text, "-") && isLiteral(one[1].text) &&
		len(words) == len(alternatives)-1 {
		before := len(s.options) // -u metric|imperial
		if s.group(one, optional, line); len(s.options) > before && s.options[before].Takes {
			s.options[before].Enum = append([]string{one[1].text}, words...)
			s.options[before].Variable = ""
			return
		}
	}
	switch {
	case len(words) == len(alternatives):
		s.choice(words, optional, line)
	case names == len(alternatives): // -n|--count N
		before := len(s.options)
		for _, one := range alternatives {
			s.group(one, true, line)
		}
		s.selected = s.selected || !optional
		if added := s.options[before:]; len(added) == 2 && (added[0].Short == "") != (added[1].Short == "") {
			one := added[1]
			one.addName(added[0].Short + added[0].Long)
			one.Takes = one.Takes || added[0].Takes
			s.options = append(s.options[:before], one)
		}
	case len(alternatives) == 2 && len(alternatives[1]) == 1 && alternatives[1][0].text == "-":
		s.group(alternatives[0], optional, line)
	case names == 0 && len(alternatives[0]) == 1: // FILE|URL, <date>|today
		s.word(alternatives[0][0].text, optional, line)
	case names > 0 && slices.IndexFunc(alternatives, func(one []shown) bool {
		return len(one) != 1 && !strings.HasPrefix(one[0].text, "-") && !(len(one) == 2 && isEllipsis(one[1].text))
	}) < 0: // [FILE|--all]
		for _, one := range alternatives {
			s.group(one, true, line)
		}
	default:
		s.open = true
		s.group(alternatives[0], true, line)
	}
}

// isLiteral reports whether a word stands for itself.
func isLiteral(text string) bool {
	return isName(text) && text == strings.ToLower(text) && !strings.HasPrefix(text, "-")
}

// choice adds a position with a list of values.
func (s *synopsis) choice(values []string, optional bool, line int) {
	name := "command"
	if len(s.positions) > 0 {
		name = "choice"
	}
	if slices.ContainsFunc(values, func(v string) bool { return numberType(v) != "" }) {
		name = "value"
	}
	s.positions = append(s.positions,
		Position{Name: name, Required: !optional, behind: s.dashed,
			Value: Value{Type: "string", Enum: values, Line: line, From: strings.Join(values, "|")}})
}

// flag reads the option at i and its value, and returns the index of its last token.
func (s *synopsis) flag(all []shown, i int, optional bool, line int) int {
	if s.late = s.late || len(s.positions) > 0; len(s.options) == 0 {
		s.before = len(s.positions)
	}
	name, value, equals := strings.Cut(strings.TrimRight(all[i].text, ",;"), "=")
	o := optionNamed(name, line)
	s.selected = s.selected || !optional
	next := shown{}
	if i+1 < len(all) {
		next = all[i+1]
	}
	switch {
	case next.text == "[" && !next.spaced: // --color[=WHEN] takes a value only if it is attached
		end := closing(all, i+1)
		inner := all[i+2 : end]
		if len(inner) != 1 || !strings.HasPrefix(inner[0].text, "=") {
			return i
		}
		i, o.Takes, o.Style, o.either, o.Variable = end, true, Equals, true, inner[0].text[1:]
	case equals:
		o.Takes, o.Style, o.Variable = true, Equals, value
		if value == "" && i+1 < len(all) {
			o.Variable = strings.Trim(next.text, "<>\"'")
			i++
			if opening[next.text] != "" {
				i = closing(all, i)
			}
		}
	case next.spaced &&
		(strings.HasPrefix(next.text, "<") && len(next.text) > 1 || isPlaceholder(next.text) || optional &&
			isName(next.text) && !strings.HasPrefix(next.text, "-")):
		o.Takes, o.Variable = true, strings.Trim(next.text, "<>\"'")
		i++
		for optional && all[0].text == name && i+1 < len(all) && isLiteral(all[i+1].text) { // [-d destination folder]
			i++
			o.Variable += "_" + all[i].text
		}
	case next.spaced && next.text == "{":
		end := closing(all, i+1)
		o.Takes = true
		for _, t := range all[i+2 : end] {
			if t.text != "|" {
				o.Enum = append(o.Enum, strings.Split(t.text, ",")...)
			}
		}
		i = end
	}
	if o.Takes && i+1 < len(all) && isEllipsis(all[i+1].text) {
		i++
	}
	for j := i + 1; o.Takes && o.Enum == nil && j+1 < len(all) && all[j].text == "|" && isLiteral(all[j+1].text) &&
		isLiteral(o.Variable); j += 2 {
		i = j + 1
	}
	if len(name) > 2 && !strings.HasPrefix(name, "--") && !o.Takes && optional {
		s.optioned = true
		return i // -abc may be three options, or -a with bc
	}
	o.Required = o.Takes && !optional
	o.Type = kindOf(o.Variable)
	if !isName(o.Variable) {
		o.Variable = ""
	}
	if isName(name) {
		s.options = append(s.options, o)
	}
	return i
}

// isPlaceholder reports whether a word in capitals stands for a value.
func isPlaceholder(text string) bool {
	text = strings.Trim(text, `"'`)
	return text != "" && text == strings.ToUpper(text) && text != strings.ToLower(text) &&
		strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:/.,@") == "" && text[0] != '-'
}

// repeat makes the last position a list, with the numbered ones before it: file1 file2 .. fileN.
func (s *synopsis) repeat() {
	n := len(s.positions) - 1
	if n < 0 {
		return
	}
	base := unnumbered(s.positions[n].From)
	for n > 0 && base != s.positions[n].From && unnumbered(s.positions[n-1].From) == base {
		n--
	}
	if base != s.positions[n].From {
		s.positions[n].Name = ArgumentName(base) + "s"
	}
	s.positions = s.positions[:n+1]
	s.positions[n].List = true
}

// unnumbered returns a name without the number at its end: fileN, file1.
func unnumbered(name string) string {
	short := strings.Trim(name, "<>")
	short = strings.TrimSuffix(short, filepath.Ext(short))
	if last := len(short) - 1; last > 0 &&
		(short[last] == 'N' && short[last-1] >= 'a' || short[last] == 'n' && len(short) < 6) {
		return short[:last]
	}
	if bare := strings.TrimRight(short, "0123456789"); bare != "" && len(bare) >= len(short)-2 {
		return bare
	}
	return name
}

// noise are words of a synopsis that stand for options, which are listed elsewhere.
var noise = strings.Fields("options option opts opt flags flag switches switch")

// several are names that stand for any number of values.
var several = strings.Fields("args arguments files filenames paths dirs directories folders " +
	"packages modules hosts names urls targets words patterns libraries")

// word adds a position; it reports whether it is one.
func (s *synopsis) word(text string, optional bool, line int) bool {
	bare := strings.Trim(text, `<>"',;`)
	list := strings.HasSuffix(bare, "...")
	bare = strings.TrimSuffix(bare, "...")
	lower := strings.ToLower(bare)
	if cut := strings.LastIndexAny(lower, " _-"); slices.Contains(noise, lower[cut+1:]) &&
		(cut < 0 || strings.HasSuffix(lower, "s")) {
		s.optioned = true
		return true
	}
	list = list || slices.Contains(several, lower) || strings.HasSuffix(lower, "files")
	marked := strings.HasPrefix(text, "<") || strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'")
	if lower == "usage" || !marked && strings.Trim(bare, nameLetters+":/@=.,+%") != "" || ArgumentName(bare) == "" {
		return false
	}
	if values := strings.Split(bare, "|"); len(values) > 1 &&
		!slices.ContainsFunc(values, func(v string) bool { return !isLiteral(v) }) {
		s.choice(values, optional, line)
		return true
	}
	name := ArgumentName(bare)
	n := len(s.positions) - 1
	if n >= 0 &&
		(s.positions[n].Name == name || name+"s" == s.positions[n].Name || s.positions[n].List &&
			ArgumentName(unnumbered(bare))+"s" == s.positions[n].Name ||
			list && unnumbered(bare) != bare &&
				ArgumentName(unnumbered(bare)) == ArgumentName(unnumbered(s.positions[n].From))) {
		s.positions[n].List = true // FILE [FILE ...], FILE1 [FILE2 ...]
		return true
	}
	s.positions = append(s.positions,
		Position{Name: name, Required: !optional && !(list && oneOf("args arguments", name)), behind: s.dashed,
			fixed: isLiteral(text) && !optional,
			any:   n >= 0 && oneOf("args arguments", name) && oneOf("command cmd program", s.positions[n].Name), // of that
			Value: Value{List: list, Line: line, From: bare}})
	return true
}
