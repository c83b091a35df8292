package clients

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A remote is a server at a URL, as an entry without a command has it.
type remote struct {
	url      string
	token    string // the bearer token as it is written, often as a reference, ${…}, that the client resolves
	variable string // or the name of the variable that holds it
	lost     string // what of the entry `mcp-bash wrap --url` cannot use; empty for nothing
}

// A remoteShape is how a client writes an entry with a URL: the names of members, and the value of type.
type remoteShape struct {
	url, headers string
	local, kind  any    // the type of an entry with a command, and of one with a URL; nil for none
	variable     string // names the variable with the token
	passed       string // lists the variables of the client that a command gets
}

// tokenVariable is the variable in which the entry of wrap has the token.
const tokenVariable = "WRAP_TOKEN"

// credential matches names of members by which a server is reached otherwise than by a URL and a token.
var credential = lazyregexp.New(`(?i)auth|header|token|cert|secret`)

// remote parses an entry that has a URL.
func (s remoteShape) remote(all map[string]any) (r remote) {
	r.url, _ = all[s.url].(string)
	r.variable, _ = all[s.variable].(string)
	headers, _ := all[s.headers].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		text, _ := headers[name].(string)
		token, bearer := strings.CutPrefix(text, "Bearer ")
		if r.token = token; !bearer || !strings.EqualFold(name, "Authorization") {
			r.lost = "the header " + name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != s.headers && name != s.variable && credential.Get().MatchString(name) {
			r.lost = name
		}
	}
	if all["type"] == "sse" {
		r.lost = "the transport SSE"
	}
	return r
}

// flags returns the flags of wrap for the server, and the variables that they need.
func (r remote) flags() (flags []string, env map[string]string) {
	if r.token != "" {
		r.variable, env = tokenVariable, map[string]string{tokenVariable: r.token}
	}
	flags = []string{"--url", r.url}
	if r.variable != "" {
		flags = append(flags, "--token-env", r.variable)
	}
	return flags, env
}

// remoteOf is the inverse of flags, which are the last arguments.
func remoteOf(args []string, env map[string]string) (r remote, ok bool) {
	if n := len(args); n >= 4 && args[n-2] == "--token-env" && args[n-4] == "--url" {
		if r.token = env[args[n-1]]; r.token == "" {
			r.variable = args[n-1]
		}
		args = args[:n-2]
	}
	n := len(args)
	if n < 2 || args[n-2] != "--url" {
		return remote{}, false
	}
	r.url = args[n-1]
	return r, true
}

// start returns the members by which an entry starts e, or reaches its server; nil is for those that it must not have.
func (s shape) start(e Entry) (o object) {
	r, far := e.remote, e.remote.url != ""
	if inner, wrapped := e.Wrapped(); wrapped {
		r = inner.remote
	}
	if r.url == "" {
		return s.launch(e)
	}
	var header, variable any
	if r.token != "" {
		header = object{{"Authorization", "Bearer " + r.token}}
	}
	if r.variable != "" {
		variable = r.variable
	}
	if far {
		o = object{{"type", s.remote.kind}, {s.remote.url, r.url}, {s.remote.headers, header},
			{s.remote.variable, variable}, {s.command, nil}, {s.args, nil}, {s.env, nil}, {s.remote.passed, nil}}
	} else {
		o = append(s.launch(e), member{"type", s.remote.local}, member{s.remote.url, nil}, member{s.remote.headers, nil},
			member{s.remote.variable, nil})
		if len(e.Env) > 0 {
			o = append(o, member{s.env, variables(e.Env)})
		}
		if variable != nil {
			o = append(o, member{s.remote.passed, []string{r.variable}})
		}
	}
	return slices.DeleteFunc(o, func(m member) bool { return m.name == "" })
}
