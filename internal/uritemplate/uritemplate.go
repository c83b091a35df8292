// Package uritemplate extracts the variables from URIs that match an RFC 6570 template, in time
// linear in the length of the URI.
package uritemplate

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// The limits of templates and of the URIs that are matched against them.
const (
	MaxBytes     = 2 << 10
	MaxVariables = 32
	MaxPrefix    = 100 // characters of a value, as in {day:100}
	MaxPrefixes  = 300 // of all variables together
)

// ErrSyntax is the error of New for a template that RFC 6570 does not allow.
var ErrSyntax = errors.New("is not a URI template")

// A Template is a valid URI template. It does not change and may be used by several goroutines.
type Template struct {
	raw    string
	names  []string              // of the variables, each once
	values []value               // one for each group of exact and of loose
	exact  *regexp.Regexp        // matches what RFC 6570 makes of values
	loose  func() *regexp.Regexp // matches also what clients make of them that escape less, or nothing
}

// A value is an occurrence of a variable in the template.
type value struct {
	name      string
	named     bool // it is written as name=value
	exploded  bool
	prefix    int    // its maximal length in characters; 0: no limit
	separator string // of the values of a list
	inside    bool   // a value may contain the separator itself
}

// New parses a template. The error describes what is wrong with it.
func New(template string) (*Template, error) {
	if len(template) > MaxBytes {
		return nil, fmt.Errorf("is too long: it has %d bytes, the limit is %d", len(template), MaxBytes)
	}
	parsed, err := uritemplate.New(template)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrSyntax, strings.TrimPrefix(err.Error(), "uritemplate:"))
	}
	t := &Template{raw: template, names: parsed.Varnames()}
	exact := writer{simple: unreserved, reserved: anything}
	if err := exact.template(template); err != nil {
		return nil, err
	}
	t.values = exact.values
	prefixes := 0
	for _, v := range t.values {
		if prefixes += v.prefix; prefixes > MaxPrefixes {
			return nil, fmt.Errorf("has prefixes of more than %d characters together", MaxPrefixes)
		}
	}
	if t.exact, err = regexp.Compile(exact.String()); err != nil {
		return nil, fmt.Errorf("is too complex: %w", err)
	}
	t.loose = sync.OnceValue(func() *regexp.Regexp {
		loose := writer{simple: `[^[:cntrl:]` + regexp.QuoteMeta(exact.delimiters()) + `]`, reserved: `[^[:cntrl:]]`}
		if loose.template(template) != nil {
			return nil
		}
		match, _ := regexp.Compile(loose.String())
		return match
	})
	return t, nil
}

// A writer writes the regular expression for the URIs of a template.
type writer struct {
	strings.Builder
	simple, reserved string // the patterns of a character of a value, also where it may be a reserved one
	values           []value
	after            string // what separates values from each other and from what follows
}

func (w *writer) template(template string) error {
	w.WriteString("^")
	for rest := template; rest != ""; {
		literal, expression, found := strings.Cut(rest, "{")
		w.literal(literal)
		if !found {
			break
		}
		expression, rest, _ = strings.Cut(expression, "}")
		if err := w.expression(expression); err != nil {
			return err
		}
	}
	w.WriteString("$")
	return nil
}

// literal adds the pattern of a literal. Characters beyond ASCII match as they are and escaped, and so do
// escapes of them.
func (w *writer) literal(text string) {
	if len(w.values) > 0 {
		w.after += text
	}
	for text != "" {
		begins := escapes.Get().FindString(text)
		r, n := utf8.DecodeRuneInString(text)
		if decoded, err := url.PathUnescape(begins); begins != "" && err == nil {
			r, n = utf8.DecodeRuneInString(decoded)
			n *= 3
		}
		switch {
		case r >= utf8.RuneSelf && r != utf8.RuneError:
			fmt.Fprintf(w, "(?:%s|(?i:%s))", string(r), url.PathEscape(string(r)))
		case begins != "":
			fmt.Fprintf(w, "(?i:%s)", text[:3])
			n = 3
		default:
			w.WriteString(regexp.QuoteMeta(text[:n]))
		}
		text = text[n:]
	}
}

// escapes matches the escapes with which a text begins.
var escapes = lazyregexp.New(`^(?:%[0-9A-Fa-f]{2})+`)

// delimiters returns the characters that end a value which is not escaped: those that separate the parts of any
// URI, and those by which this template separates values.
func (w *writer) delimiters() string {
	ends := "/?#,"
	for _, c := range ":@!$&'()*+;=" {
		if strings.ContainsRune(w.after, c) {
			ends += string(c)
		}
	}
	return ends
}

// An operator is how the values of an expression are written.
type operator struct {
	first, separator string
	named            bool
	ifEmpty          string
	reserved         bool // values may contain reserved characters
}

func operatorOf(expression string) (o operator, variables string) {
	switch expression[0] {
	case '+':
		return operator{separator: ",", reserved: true}, expression[1:]
	case '#':
		return operator{first: "#", separator: ",", reserved: true}, expression[1:]
	case '.':
		return operator{first: ".", separator: "."}, expression[1:]
	case '/':
		return operator{first: "/", separator: "/"}, expression[1:]
	case ';':
		return operator{first: ";", separator: ";", named: true}, expression[1:]
	case '?':
		return operator{first: "?", separator: "&", named: true, ifEmpty: "="}, expression[1:]
	case '&':
		return operator{first: "&", separator: "&", named: true, ifEmpty: "="}, expression[1:]
	}
	return operator{separator: ","}, expression
}

// The patterns of a character of a value.
const (
	unreserved = `(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})`
	anything   = `(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=\[\]-]|%[0-9A-Fa-f]{2})`

	// A prefix counts a character that is escaped as one, however many bytes it has.
	escaped = `(?i:%[CD][0-9A-F]%[0-9A-F]{2}|%E[0-9A-F](?:%[0-9A-F]{2}){2}|%F[0-9A-F](?:%[0-9A-F]{2}){3}|%[0-9A-F]{2})`
)

// expression adds the pattern of an expression. Each of its variables may be missing; those present
// are in the order of the template.
func (w *writer) expression(expression string) error {
	o, variables := operatorOf(expression)
	w.after += o.separator
	fmt.Fprintf(w, "(?:%s", regexp.QuoteMeta(o.first))
	for i, variable := range strings.Split(variables, ",") {
		v := value{name: variable, named: o.named}
		v.name, v.exploded = strings.CutSuffix(variable, "*")
		character, repeat := w.simple, "*"
		if o.reserved {
			character = w.reserved
		}
		if name, prefix, ok := strings.Cut(v.name, ":"); ok {
			v.name = name
			n, err := strconv.Atoi(prefix)
			if err != nil || n > MaxPrefix {
				return fmt.Errorf("has a variable with a prefix of more than %d characters", MaxPrefix)
			}
			v.prefix, repeat = n, fmt.Sprintf("{0,%d}", n)
			character = "(?:" + escaped + "|" + character + ")"
		}
		v.separator = ","
		if v.exploded {
			v.separator = o.separator
		}
		v.inside = o.reserved || v.separator == "."
		if w.values = append(w.values, v); len(w.values) > MaxVariables {
			return fmt.Errorf("has more than %d variables", MaxVariables)
		}
		w.WriteString("(?:")
		if i > 0 {
			fmt.Fprintf(w, "(?:%s)?", regexp.QuoteMeta(o.separator))
		}
		w.WriteString("(")
		valuePattern, name, separator := character+repeat, regexp.QuoteMeta(v.name), regexp.QuoteMeta(v.separator)
		switch {
		case v.named && v.exploded:
			valuePattern = fmt.Sprintf("%s(?:=%s|%s)", name, valuePattern, regexp.QuoteMeta(o.ifEmpty))
			fmt.Fprintf(w, "(?:%s(?:%s%[1]s)*)?", valuePattern, separator)
		case v.named:
			fmt.Fprintf(w, "%s(?:=%s(?:%s%[2]s)*|%[4]s)", name, valuePattern, separator, regexp.QuoteMeta(o.ifEmpty))
		default:
			fmt.Fprintf(w, "%s(?:%s%[1]s)*?", valuePattern, separator)
		}
		w.WriteString("))?")
	}
	w.WriteString(")?")
	return nil
}

// String returns the template as it was written.
func (t *Template) String() string { return t.raw }

// Variables returns the names of the variables, in the order of the template.
func (t *Template) Variables() []string { return slices.Clone(t.names) }

// Lists returns the variables that are lists however many values they have: {name*}.
func (t *Template) Lists() map[string]bool {
	lists := make(map[string]bool)
	for _, v := range t.values {
		if v.exploded {
			lists[v.name] = true
		}
	}
	return lists
}

// Match returns the values of the variables that a URI has, decoded: several for a list, otherwise one, in
// which commas are part of the value. It reports whether the URI matches, and whether it is exactly what RFC 6570
// makes of these values: clients also send less that is escaped, or nothing. A URI longer than MaxBytes
// never matches.
func (t *Template) Match(uri string) (values map[string][]string, exact, ok bool) {
	if len(uri) > MaxBytes {
		return nil, false, false
	}
	groups := t.exact.FindStringSubmatchIndex(uri)
	exact = groups != nil
	if !exact {
		if loose := t.loose(); loose != nil {
			groups = loose.FindStringSubmatchIndex(uri)
		}
	}
	if groups == nil {
		return nil, false, false
	}
	values = make(map[string][]string)
	for i, v := range t.values {
		if begin, end := groups[2*i+2], groups[2*i+3]; begin >= 0 {
			if list := v.split(uri[begin:end]); len(list) > 0 {
				values[v.name] = append(values[v.name], list...)
			}
		}
	}
	return values, exact, true
}

// split returns the values in what a variable was expanded to.
func (v value) split(expanded string) []string {
	parts := []string{expanded}
	if v.named && !v.exploded {
		_, written, ok := strings.Cut(expanded, "=")
		if !ok {
			return nil
		}
		parts = []string{written}
	}
	if v.exploded && !v.inside {
		parts = strings.Split(parts[0], v.separator)
	}
	values := parts[:0]
	for _, part := range parts {
		if v.named && v.exploded {
			_, written, ok := strings.Cut(part, "=")
			if !ok {
				continue
			}
			part = written
		}
		decoded, err := url.PathUnescape(part)
		if err != nil { // a % that does not begin an escape
			decoded = part
		}
		values = append(values, decoded)
	}
	return values
}
