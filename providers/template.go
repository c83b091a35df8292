package providers

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/uritemplate"
)

// A Template reads all URIs of an RFC 6570 template by one script (RT-01). Besides the URI,
// as its argument and in MCP_RESOURCE_URI, the script gets
//
//	MCP_RESOURCE_TEMPLATE   the template
//	MCP_RESOURCE_VARS_JSON  the variables by name, as a JSON object of strings and arrays
//	MCP_RESOURCE_VAR_NAME   each variable, its name in upper case; the values of an array joined by commas
//
// An array is a variable of the kind {list*}, or one that is in the template more than once.
// Variables that the URI does not have are absent.
//
// Variables are decoded: one may contain "../", quotes or line breaks, whatever the client sends. A
// NUL is refused.
type Template struct {
	script  Script
	pattern *uritemplate.Template
	lists   map[string]bool // variables that are lists for any number of values
}

// NewTemplate returns the template for a pattern such as db://users/{id}. It refuses patterns
// of more than 2 KiB, of more than 32 variables, and with long prefixes, as in {name:1000}.
func NewTemplate(pattern string, s Script) (*Template, error) {
	t, err := uritemplate.New(pattern)
	if err != nil {
		return nil, fmt.Errorf("template %.100q %w", pattern, err)
	}
	return &Template{s, t, t.Lists()}, nil
}

// Matches reports whether a URI matches the template. A URI of more than 2 KiB never does.
func (t *Template) Matches(uri string) bool {
	_, _, ok := t.pattern.Match(uri)
	return ok
}

// Read runs the script. A URI that does not match is not found (RT-03).
func (t *Template) Read(ctx context.Context, uri string) ([]Content, error) {
	values, _, ok := t.pattern.Match(uri)
	if !ok {
		return nil, fmt.Errorf("%w: it does not match %s", ErrNotFound, t.pattern)
	}
	env := []string{"MCP_RESOURCE_URI=" + uri, "MCP_RESOURCE_TEMPLATE=" + t.pattern.String()}
	all := make(map[string]any, len(values))
	for _, name := range t.pattern.Variables() {
		v, ok := values[name]
		if !ok {
			continue
		}
		for _, part := range v {
			if !utf8.ValidString(part) || strings.ContainsRune(part, 0) {
				return nil, fmt.Errorf("%w: %s contains NUL or is not UTF-8", ErrBadURI, name)
			}
		}
		env = append(env, "MCP_RESOURCE_VAR_"+variable(name)+"="+strings.Join(v, ","))
		if len(v) == 1 && !t.lists[name] {
			all[name] = v[0]
		} else {
			all[name] = v
		}
	}
	json, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("%w: cannot encode its variables as JSON: %w", ErrBadURI, err)
	}
	return t.script.read(ctx, uri, append(env, "MCP_RESOURCE_VARS_JSON="+string(json))...)
}

// variable returns the name of a template's variable as a name of the environment.
func variable(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
}
