package providers

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/yosida95/uritemplate/v3"
)

// A Template reads all URIs of an RFC 6570 template by one script (RT-01). Besides the URI,
// as its argument and in MCP_RESOURCE_URI, the script gets
//
//	MCP_RESOURCE_TEMPLATE   the template
//	MCP_RESOURCE_VARS_JSON  the variables by name, as a JSON object of strings and arrays
//	MCP_RESOURCE_VAR_NAME   each variable that is a string, its name in upper case
//
// An array is a variable of the kind {list*}, or one for which the URI has several values.
// What the URI does not have is absent.
//
// Variables are decoded: one may hold "../", quotes or line breaks, whatever the client
// likes. A NUL is refused.
type Template struct {
	script  Script
	pattern *uritemplate.Template
	lists   map[string]bool // the variables that are lists however many values they have
}

// Matching takes time for each byte and each variable.
const maxMatched = 2 << 10

// NewTemplate returns the template for a pattern such as db://users/{id}.
func NewTemplate(pattern string, s Script) (*Template, error) {
	if len(pattern) > maxMatched {
		return nil, fmt.Errorf("the template has %d bytes, the limit is %d", len(pattern), maxMatched)
	}
	t, err := uritemplate.New(pattern)
	if err != nil {
		return nil, fmt.Errorf("template %q: %w", pattern, err)
	}
	return &Template{s, t, listsIn(pattern)}, nil
}

// listsIn returns the variables of a sound pattern that end in a star.
func listsIn(pattern string) map[string]bool {
	lists := make(map[string]bool)
	for _, part := range strings.Split(pattern, "{")[1:] {
		expression, _, _ := strings.Cut(part, "}")
		for name := range strings.SplitSeq(strings.TrimLeft(expression, "+#./;?&"), ",") {
			if name, ok := strings.CutSuffix(name, "*"); ok {
				lists[name] = true
			}
		}
	}
	return lists
}

// Matches reports whether a URI is one of the template. One of more than 2 KiB never is.
func (t *Template) Matches(uri string) bool { return t.match(uri) != nil }

func (t *Template) match(uri string) uritemplate.Values {
	if len(uri) > maxMatched {
		return nil
	}
	return t.pattern.Match(uri)
}

// Read runs the script. A URI that does not match is not found (RT-03).
func (t *Template) Read(ctx context.Context, uri string) ([]Content, error) {
	values := t.match(uri)
	if values == nil {
		return nil, fmt.Errorf("%w: it does not match %s", ErrNotFound, t.pattern.Raw())
	}
	env := []string{"MCP_RESOURCE_URI=" + uri, "MCP_RESOURCE_TEMPLATE=" + t.pattern.Raw()}
	all := make(map[string]any, len(values))
	for _, name := range t.pattern.Varnames() {
		v, ok := values[name]
		if !ok {
			continue
		}
		for _, part := range v.V {
			if !utf8.ValidString(part) || strings.ContainsRune(part, 0) {
				return nil, fmt.Errorf("%w: %s holds a NUL or is not UTF-8", ErrBadURI, name)
			}
		}
		if len(v.V) == 1 && !t.lists[name] {
			all[name] = v.V[0]
			env = append(env, "MCP_RESOURCE_VAR_"+variable(name)+"="+v.V[0])
		} else {
			all[name] = v.V
		}
	}
	json, err := jsonv2.Marshal(all, jsonv2.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("%w: its variables are no JSON: %w", ErrBadURI, err)
	}
	return t.script.read(ctx, uri, append(env, "MCP_RESOURCE_VARS_JSON="+string(json))...)
}

// variable is the name of a template's variable as the environment has names.
func variable(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}
