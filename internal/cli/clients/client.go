package clients

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// A Client is a program that starts MCP servers, with the files in which it finds them.
type Client struct {
	Name     string // its name in commands
	Alias    string // an older name for it, or empty
	Title    string // its name for people
	Terminal bool   // it is started from a shell, and servers inherit the shell's variables

	user    []userFile // the first is the usual one
	project []string   // files in a folder, with slashes
	format  format
	snippet format // the format of a text with only an entry, if it is not format
	parent  string // the key that holds the entries
	shape   shape
}

// A format reads and edits text. Errors with a position are of type *SyntaxError.
type format interface {
	// decode parses the text.
	decode(text string) (map[string]any, error)
	// set writes the value at a path, with the mappings around it where they are missing. An entry has a
	// path of two names.
	set(text string, path []string, value any) (string, error)
	// remove removes an existing entry or a member of one, and with it the parent if that would be empty
	// and emptied is set.
	remove(text string, path []string, emptied bool) (string, error)
}

// Find returns the client with this name, alias or title, in upper or lower case.
func Find(name string) (Client, error) {
	var known []string
	for _, c := range All() {
		if strings.EqualFold(name, c.Name) || strings.EqualFold(name, c.Title) ||
			c.Alias != "" && strings.EqualFold(name, c.Alias) {
			return c, nil
		}
		known = append(known, c.Name)
	}
	hint := cmp.Or(suggest.Question(suggest.Meant(name, known)...), "choose one of "+strings.Join(known, ", "))
	return Client{}, fmt.Errorf("unknown client %q; %s", name, hint)
}

// A Scope is whose file it is: the user's or a project's.
type Scope string

// The scopes. What is installed for the user is available in every folder in which the client is used.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Paths returns the files that the client reads, the usual one first and those of its packages last, in which a
// * stands for what only the machine knows; none if it has no file of that
// scope, or if its file is in a home folder that is not known. Files of a project are in the folder.
func (c Client) Paths(m Machine, s Scope, folder string) (paths []string) {
	if s == Project {
		for _, path := range c.project {
			paths = append(paths, m.join(folder, strings.Split(path, "/")...))
		}
		return paths
	}
	for _, f := range c.user {
		if path := m.find(f); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// Put returns the text with the entry in it, replacing an entry of that name. An empty text results
// in a new file. Remove can remove what Put adds.
func (c Client) Put(text, name string, e Entry) (string, error) {
	text, err := c.edit(text, name, &e, func(text string) (string, error) {
		return c.format.set(text, []string{c.parent, name}, c.shape.object(name, e))
	})
	if err == nil {
		_, err = c.Remove(text, name, false)
	}
	return text, err
}

// Snippet returns the text of a file with only the entry, for people and scripts.
func (c Client) Snippet(name string, e Entry) (string, error) {
	if c.snippet != nil {
		c.format = c.snippet
	}
	return c.Put("", name, e)
}

// Remove returns the text without the entry of that name. If no entry is left and emptied is set,
// the key that held the entries is removed too.
func (c Client) Remove(text, name string, emptied bool) (string, error) {
	if _, found, err := c.Get(text, name); err != nil || !found {
		return text, err
	}
	return c.edit(text, name, nil, func(text string) (string, error) {
		return c.format.remove(text, []string{c.parent, name}, emptied)
	})
}

// Get returns the entry with a name.
func (c Client) Get(text, name string) (e Entry, found bool, err error) {
	all, err := c.decode(text)
	if err != nil {
		return Entry{}, false, err
	}
	servers, err := c.servers(all)
	if err != nil {
		return Entry{}, false, err
	}
	value, found := servers[name]
	if !found {
		return Entry{}, false, nil
	}
	return c.shape.entry(value), true, nil
}

func (c Client) decode(text string) (map[string]any, error) {
	return c.format.decode(strings.TrimPrefix(text, bom))
}

const bom = "\ufeff" // some editors write it at the start of a file

// edit changes the text and verifies that the result has the wanted entry, or no entry for nil, and
// that everything else has the same meaning as before.
func (c Client) edit(text, name string, want *Entry, change func(string) (string, error)) (string, error) {
	text, marked := strings.CutPrefix(text, bom)
	before, err := c.others(text, name)
	if err != nil {
		return "", err
	}
	changed, err := change(text)
	if err != nil {
		return "", err
	}
	after, err := c.others(changed, name)
	got, found, _ := c.Get(changed, name)
	if err != nil || !reflect.DeepEqual(before, after) || found != (want != nil) || found && !got.same(*want) {
		return "", c.byHand(name)
	}
	if marked {
		changed = bom + changed
	}
	return changed, nil
}

func (c Client) byHand(name string) error {
	return fmt.Errorf("%q is formatted in a way that cannot be edited safely: edit the entry %q by hand", c.parent, name)
}

// others returns the content of a text without the entry. An empty parent is left out.
func (c Client) others(text, name string) (map[string]any, error) {
	all, err := c.format.decode(text)
	if err != nil {
		return nil, err
	}
	servers, err := c.servers(all)
	if err != nil {
		return nil, err
	}
	delete(servers, name)
	if len(servers) == 0 {
		delete(all, c.parent)
	}
	return all, nil
}

// servers returns the entries.
func (c Client) servers(all map[string]any) (map[string]any, error) {
	value, found := all[c.parent]
	if !found {
		return nil, nil
	}
	servers, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%q must hold entries by name: write {} there, or remove it", c.parent)
	}
	return servers, nil
}
