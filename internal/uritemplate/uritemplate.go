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

	"github.com/yosida95/uritemplate/v3"
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
	names  []string // of the variables, each once
	values []value  // one for each group of match
	match  *regexp.Regexp
}

// A value is an occurrence of a variable in the template.
type value struct {
	name      string
	named     bool // it is written as name=value
	exploded  bool
	prefix    int    // its maximal length in characters; 0: no limit
	separator string // of several values
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
	var pattern strings.Builder
	pattern.WriteString("^")
	rest := template
	for rest != "" {
		literal, expression, found := strings.Cut(rest, "{")
		pattern.WriteString(regexp.QuoteMeta(literal))
		if !found {
			break
		}
		expression, rest, _ = strings.Cut(expression, "}")
		if err := t.expression(&pattern, expression); err != nil {
			return nil, err
		}
	}
	prefixes := 0
	for _, v := range t.values {
		if prefixes += v.prefix; prefixes > MaxPrefixes {
			return nil, fmt.Errorf("has prefixes of more than %d characters together", MaxPrefixes)
		}
	}
	pattern.WriteString("$")
	if t.match, err = regexp.Compile(pattern.String()); err != nil {
		return nil, fmt.Errorf("is too complex: %w", err)
	}
	return t, nil
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
)

// expression adds the pattern of an expression. Each of its variables may be missing; those present
// are in the order of the template.
func (t *Template) expression(pattern *strings.Builder, expression string) error {
	o, variables := operatorOf(expression)
	fmt.Fprintf(pattern, "(?:%s", regexp.QuoteMeta(o.first))
	for i, variable := range strings.Split(variables, ",") {
		v := value{name: variable, named: o.named}
		v.name, v.exploded = strings.CutSuffix(variable, "*")
		character, repeat := unreserved, "*"
		if o.reserved {
			character = anything
		}
		if name, prefix, ok := strings.Cut(v.name, ":"); ok {
			v.name = name
			n, err := strconv.Atoi(prefix)
			if err != nil || n > MaxPrefix {
				return fmt.Errorf("has a variable with a prefix of more than %d characters", MaxPrefix)
			}
			v.prefix, repeat = n, fmt.Sprintf("{0,%d}", n)
		}
		v.separator = ","
		if v.exploded {
			v.separator = o.separator
		}
		v.inside = o.reserved || v.separator == "."
		if t.values = append(t.values, v); len(t.values) > MaxVariables {
			return fmt.Errorf("has more than %d variables", MaxVariables)
		}
		pattern.WriteString("(?:")
		if i > 0 {
			fmt.Fprintf(pattern, "(?:%s)?", regexp.QuoteMeta(o.separator))
		}
		pattern.WriteString("(")
		valuePattern, name, separator := character+repeat, regexp.QuoteMeta(v.name), regexp.QuoteMeta(v.separator)
		switch {
		case v.named && v.exploded:
			valuePattern = fmt.Sprintf("%s(?:=%s|%s)", name, valuePattern, regexp.QuoteMeta(o.ifEmpty))
			fmt.Fprintf(pattern, "(?:%s(?:%s%[1]s)*)?", valuePattern, separator)
		case v.named:
			fmt.Fprintf(pattern, "%s(?:=%s(?:%s%[2]s)*|%[4]s)", name, valuePattern, separator, regexp.QuoteMeta(o.ifEmpty))
		default:
			fmt.Fprintf(pattern, "%s(?:%s%[1]s)*?", valuePattern, separator)
		}
		pattern.WriteString("))?")
	}
	pattern.WriteString(")?")
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

// Match returns the values of the variables that a URI has, decoded. It reports whether the URI
// matches: a URI longer than MaxBytes never does.
func (t *Template) Match(uri string) (map[string][]string, bool) {
	if len(uri) > MaxBytes {
		return nil, false
	}
	groups := t.match.FindStringSubmatchIndex(uri)
	if groups == nil {
		return nil, false
	}
	matched := make(map[string][]string)
	for i, v := range t.values {
		if begin, end := groups[2*i+2], groups[2*i+3]; begin >= 0 {
			if list := v.split(uri[begin:end]); len(list) > 0 {
				matched[v.name] = append(matched[v.name], list...)
			}
		}
	}
	return matched, true
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
	if !v.inside || v.prefix > 0 && characters(parts[0]) > v.prefix {
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
		if err != nil { // which the pattern does not let through
			decoded = part
		}
		values = append(values, decoded)
	}
	return values
}

// characters counts the characters of a value; an escape such as %2F counts as one.
func characters(text string) int { return len(text) - 2*strings.Count(text, "%") }
