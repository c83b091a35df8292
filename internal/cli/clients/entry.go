package clients

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// An Entry is what a client has to know to start a server.
type Entry struct {
	Command string            `json:"command"` // absolute
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"` // beside the variables that the client gives
}

const rootVariable = "MCPBASH_PROJECT_ROOT"

// For returns the entry that makes the program at command serve the project at root; both are
// absolute. There is no allowlist of tools in it: all tools are allowed until somebody names some,
// and an entry that named all would undo what the operator or a policy.sh says.
func For(command, root string) Entry {
	return Entry{Command: command, Args: []string{"serve"}, Env: map[string]string{rootVariable: root}}
}

// Ours reports whether an entry starts mcp-bash, and for which project; root is empty if it does not
// say.
func (e Entry) Ours() (root string, ours bool) {
	base := path.Base(strings.ReplaceAll(e.Command, `\`, "/"))
	root, named := e.Env[rootVariable]
	return root, named || base == "mcp-bash" || base == "mcp-bash.exe"
}

// same compares what two entries say.
func (e Entry) same(o Entry) bool {
	return e.Command == o.Command && slices.Equal(e.Args, o.Args) && maps.Equal(e.Env, o.Env)
}

var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]+`) })

// NameOf returns what a server is called in entries: clients take letters, digits, - and _.
func NameOf(server string) string {
	name := strings.Trim(notInNames().ReplaceAllString(server, "-"), "-")
	if name == "" {
		return "mcp-bash"
	}
	return name
}

// CheckName refuses a name that clients would not take.
func CheckName(name string) error {
	if name == "" || notInNames().MatchString(name) {
		return fmt.Errorf("name %q: use letters, digits, - and _ only, as in %q", name, NameOf(name))
	}
	return nil
}

// A shape is how a client writes an entry. With no key for arguments, the command is a list that
// they are part of.
type shape struct {
	before             object
	command, args, env string
	after              object
}

// serverName represents the name of the entry.
type serverName struct{}

// object returns an entry as the client writes it.
func (s shape) object(name string, e Entry) (o object) {
	o = append(o, s.before...)
	if s.args == "" {
		o = append(o, member{s.command, append([]string{e.Command}, e.Args...)})
	} else {
		o = append(o, member{s.command, e.Command}, member{s.args, e.Args})
	}
	o = append(append(o, member{s.env, variables(e.Env)}), s.after...)
	for i, m := range o {
		if m.value == (serverName{}) {
			o[i].value = name
		}
	}
	return o
}

// entry reads an entry. What makes no sense is left out.
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
	return e
}
