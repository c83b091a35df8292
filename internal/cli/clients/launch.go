package clients

import (
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A Launch is how a server is started.
type Launch struct {
	Command string
	Args    []string
	Env     []string // all variables, as NAME=value; of duplicates the last counts
	Dir     string   // working directory; empty for the current one
}

// Launch returns how the client starts an entry: with the client's variables and those of the entry,
// in the home folder.
func (c Client) Launch(m Machine, e Entry) Launch {
	env := c.Environment(m)
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		env = append(env, name+"="+e.Env[name])
	}
	return Launch{Command: e.Command, Args: e.Args, Env: env, Dir: m.Home}
}

// program finds the program as the client would: a bare name on the PATH of Env, not of this process.
func (l Launch) program() (string, error) {
	if runtime.GOOS == "windows" || strings.ContainsAny(l.Command, `/\`) {
		return l.Command, nil
	}
	if found := process.LookPath(l.Command, l.Env); found != "" {
		return found, nil
	}
	path, _ := process.Lookup(l.Env, "PATH")
	return "", fmt.Errorf("%q is not on the PATH that the client has, %s: %w", l.Command, path, fs.ErrNotExist)
}
