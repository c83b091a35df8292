package clients

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// An Entry is what a client needs to start a server.
type Entry struct {
	Command string            `json:"command"` // absolute
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"` // in addition to the variables that the client passes

	remote remote // for an entry without a command
}

const rootVariable = "MCPBASH_PROJECT_ROOT"

// For returns the entry that makes the program at command serve the project at root; both are
// absolute. It contains no allowlist of tools: all tools are allowed unless a list is set, and an
// entry that lists all would override what the operator or a policy.sh sets.
func For(command, root string) Entry {
	return Entry{Command: command, Args: []string{"serve"}, Env: map[string]string{rootVariable: root}}
}

// Settings that say which variables of the server its tools get.
const (
	envMode = "MCPBASH_TOOL_ENV_MODE"
	envList = "MCPBASH_TOOL_ENV_ALLOWLIST"
)

// Passing returns the entry with more variables, and with the settings by which tools get those named by tools. A
// list of old, the entry that this one replaces, is continued; if its tools inherit all variables, they
// still do.
func (e Entry) Passing(more map[string]string, tools []string, old Entry) Entry {
	env := maps.Clone(e.Env)
	if len(tools) > 0 && old.Env[envMode] != "inherit" {
		names := append(strings.Fields(strings.ReplaceAll(old.Env[envList], ",", " ")), tools...)
		slices.Sort(names)
		env[envMode], env[envList] = "allowlist", strings.Join(slices.Compact(names), ",")
	}
	maps.Copy(env, more)
	e.Env = env
	return e
}

// Ours reports whether an entry starts mcp-bash, and for which project; root is empty if the entry
// does not name it.
func (e Entry) Ours() (root string, ours bool) {
	root, named := e.Env[rootVariable]
	return root, named || e.startsUs()
}

func (e Entry) startsUs() bool {
	base := path.Base(strings.ReplaceAll(e.Command, `\`, "/"))
	return strings.TrimSuffix(base, ".exe") == "mcp-bash"
}

// same reports whether two entries are equal.
func (e Entry) same(o Entry) bool {
	return e.Command == o.Command && slices.Equal(e.Args, o.Args) && maps.Equal(e.Env, o.Env) &&
		e.remote == o.remote
}

// covers reports whether an entry starts what o says. It may have more variables.
func (e Entry) covers(o Entry) bool {
	for name, value := range o.Env {
		if own, set := e.Env[name]; !set || own != value {
			return false
		}
	}
	return e.Command == o.Command && slices.Equal(e.Args, o.Args)
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9_-]+`)

// NameOf returns the name of a server in entries: clients accept letters, digits, - and _.
func NameOf(server string) string {
	name := strings.Trim(notInNames.Get().ReplaceAllString(server, "-"), "-")
	if name == "" {
		return "mcp-bash"
	}
	return name
}

// CheckName returns an error for a name that clients do not accept.
func CheckName(name string) error {
	if name == "" || notInNames.Get().MatchString(name) {
		return fmt.Errorf("name %q: use letters, digits, - and _ only, as in %q", name, NameOf(name))
	}
	return nil
}

// A shape is how a client writes an entry. Without a key for arguments, the command is a list that
// includes them.
type shape struct {
	before             object
	command, args, env string
	after              object
	remote             remoteShape
}

// serverName represents the name of the entry.
type serverName struct{}

// object returns an entry as the client writes it.
func (s shape) object(name string, e Entry) (o object) {
	o = append(append(o, s.before...), s.launch(e)...)
	o = append(append(o, member{s.env, variables(e.Env)}), s.after...)
	for i, m := range o {
		if m.value == (serverName{}) {
			o[i].value = name
		}
	}
	return o
}

// launch returns the members that say what is started.
func (s shape) launch(e Entry) object {
	if s.args == "" {
		return object{{s.command, append([]string{e.Command}, e.Args...)}}
	}
	return object{{s.command, e.Command}, {s.args, e.Args}}
}

// required returns the members without which the client does not start an entry. The others, such as
// a timeout, are the user's as soon as they are written.
func (s shape) required(name string, e Entry) object {
	return slices.DeleteFunc(s.object(name, e), func(m member) bool {
		return m.name != "type" && m.name != s.command && m.name != s.args && m.name != s.env
	})
}

// entry parses an entry. Invalid values are left out.
func (s shape) entry(value any) (e Entry) {
	all, _ := value.(map[string]any)
	e.Args = []string{}
	for _, key := range []string{s.command, s.args} {
		switch v := all[key].(type) {
		case string:
			e.Command = v
		case []any:
			for _, one := range v {
				if text, ok := one.(string); ok {
					e.Args = append(e.Args, text)
				}
			}
		}
	}
	if s.args == "" && len(e.Args) > 0 {
		e.Command, e.Args = e.Args[0], e.Args[1:]
	}
	e.Env = make(map[string]string)
	vars, _ := all[s.env].(map[string]any)
	for name, value := range vars {
		if text, ok := value.(string); ok {
			e.Env[name] = text
		}
	}
	if e.Command == "" {
		e.remote = s.remote.remote(all)
	}
	return e
}
