package jq

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/itchyny/gojq"
)

// matchTimeout ends a match that backtracks without end. jq gives up too, after a
// number of steps.
const matchTimeout = time.Second

// A pattern is a regular expression of a filter, compiled.
type pattern struct {
	*regexp2.Regexp
	groups     []string // their names, "" for one without
	global     bool     // flag g
	skipsEmpty bool     // flag n
}

// patterns compiles each regular expression of a filter once.
type patterns map[[2]string]*pattern

// find returns the compiled form of re, which may be an array of itself and flags.
func (p patterns) find(re, flags any) (*pattern, error) {
	if both, ok := re.([]any); ok && len(both) > 0 {
		re = both[0]
		if len(both) > 1 && both[1] != nil {
			more, _ := flags.(string)
			first, _ := both[1].(string)
			flags = first + more
		}
	}
	expr, ok := re.(string)
	if !ok {
		return nil, fmt.Errorf("%s cannot be matched, as it is not a string", gojq.TypeOf(re))
	}
	text, ok := flags.(string)
	if !ok && flags != nil {
		return nil, fmt.Errorf("%s is not a string: flags of a regular expression", gojq.TypeOf(flags))
	}
	if known := p[[2]string{expr, text}]; known != nil {
		return known, nil
	}
	compiled, err := compilePattern(expr, text)
	if err == nil {
		p[[2]string{expr, text}] = compiled
	}
	return compiled, err
}

func compilePattern(expr, flags string) (*pattern, error) {
	p := &pattern{}
	var options regexp2.RegexOptions
	for _, flag := range flags {
		switch flag {
		case 'g':
			p.global = true
		case 'i':
			options |= regexp2.IgnoreCase
		case 'x':
			options |= regexp2.IgnorePatternWhitespace
		case 'p':
			options |= regexp2.Singleline
		case 'n':
			p.skipsEmpty = true
		case 's': // ^ and $ are the ends of the text anyway
		default:
			return nil, fmt.Errorf("%s is not a valid modifier string", flags)
		}
	}
	translated, groups := translate(expr, options&regexp2.IgnorePatternWhitespace != 0)
	re, err := regexp2.Compile(translated, options)
	if err != nil {
		fault, _, _ := strings.Cut(err.Error(), " in `") // of the translated expression
		return nil, fmt.Errorf("%s is not a valid regex: %s", expr, strings.TrimPrefix(fault, "error parsing regexp: "))
	}
	re.MatchTimeout = matchTimeout
	p.Regexp, p.groups = re, groups
	return p, nil
}

// each calls yield with each match in text. As jq it does not look for another, empty
// match at the very end.
func (p *pattern) each(text string, yield func(*regexp2.Match) bool) error {
	length := utf8.RuneCountInString(text)
	m, err := p.FindStringMatch(text)
	for m != nil && err == nil {
		if (m.Length > 0 || !p.skipsEmpty) && (!yield(m) || !p.global) {
			return nil
		}
		if m.Index+max(m.Length, 1) >= length {
			return nil
		}
		m, err = p.FindNextMatch(m)
	}
	return err
}

// posixClasses are classes inside brackets, which .NET does not have.
func posixClasses() *strings.Replacer {
	return strings.NewReplacer(
		"[:alnum:]", `\p{L}\p{N}`, "[:alpha:]", `\p{L}`, "[:blank:]", ` \t`, "[:cntrl:]", `\p{Cc}`,
		"[:digit:]", `\d`, "[:graph:]", `\p{L}\p{M}\p{N}\p{P}\p{S}`, "[:lower:]", `\p{Ll}`,
		"[:print:]", `\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}`, "[:punct:]", `\p{P}\p{S}`, "[:space:]", `\s`,
		"[:upper:]", `\p{Lu}`, "[:word:]", `\w`, "[:xdigit:]", `0-9A-Fa-f`,
	)
}

// translate rewrites an expression of Oniguruma for regexp2. All groups get names of their
// own, in the order of the text: .NET would number those with names after the others.
// An extended expression has comments.
func translate(expr string, extended bool) (string, []string) {
	var out strings.Builder
	var groups []string
	classes := posixClasses()
	for expr != "" {
		n := 1
		switch {
		case expr[0] == '\\' && len(expr) > 1:
			n = escape(expr, groups, &out)
		case expr[0] == '[':
			n = bracket(expr)
			out.WriteString(classes.Replace(expr[:n]))
		case strings.HasPrefix(expr, "(?#"):
			n = through(expr, ')')
		case extended && expr[0] == '#':
			n = through(expr, '\n')
		case opensGroup(expr):
			name := ""
			if strings.HasPrefix(expr, "(?") {
				n = through(expr, '>')
				_, name, _ = strings.Cut(expr[:n-1], "<")
			}
			groups = append(groups, name)
			fmt.Fprintf(&out, "(?<g%d>", len(groups))
		default:
			out.WriteByte(expr[0])
		}
		expr = expr[n:]
	}
	return out.String(), groups
}

// opensGroup reports that a group that captures begins: "(", "(?<name>" or "(?P<name>".
func opensGroup(expr string) bool {
	rest, opens := strings.CutPrefix(expr, "(")
	if !opens || !strings.HasPrefix(rest, "?") {
		return opens
	}
	name, named := strings.CutPrefix(strings.TrimPrefix(rest[1:], "P"), "<")
	return named && !strings.HasPrefix(name, "=") && !strings.HasPrefix(name, "!") && strings.Contains(name, ">")
}

// through returns the length of expr up to c, and with it.
func through(expr string, c byte) int {
	if i := strings.IndexByte(expr, c); i >= 0 {
		return i + 1
	}
	return len(expr)
}

// escape translates the sequence at the start of expr and returns its length.
func escape(expr string, groups []string, out *strings.Builder) int {
	switch c := expr[1]; {
	case '1' <= c && c <= '9':
		fmt.Fprintf(out, `\k<g%c>`, c)
	case c == 'h':
		out.WriteString("[0-9A-Fa-f]")
	case c == 'H':
		out.WriteString("[^0-9A-Fa-f]")
	case c == 'k' && strings.HasPrefix(expr[2:], "<"):
		end := strings.IndexByte(expr, '>')
		for i, name := range groups {
			if end > 0 && name == expr[3:end] {
				fmt.Fprintf(out, `\k<g%d>`, i+1)
				return end + 1
			}
		}
		out.WriteString(expr[:2])
	default:
		out.WriteString(expr[:2])
	}
	return 2
}

// bracket returns the length of the [...] at the start of expr.
func bracket(expr string) int {
	i := 1
	if strings.HasPrefix(expr[i:], "^") {
		i++
	}
	if strings.HasPrefix(expr[i:], "]") {
		i++
	}
	for i < len(expr) {
		switch {
		case expr[i] == '\\':
			i++
		case strings.HasPrefix(expr[i:], "[:"):
			if end := strings.Index(expr[i:], ":]"); end > 0 {
				i += end + 1
			}
		case expr[i] == ']':
			return i + 1
		}
		i++
	}
	return len(expr)
}
