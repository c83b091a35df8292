package operator

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/shellfile"
)

// An envFile is server.d/env.sh, by which a project sets variables for its tools, and some for the server. A
// file server.d/.debug sets the log level, unless it is set elsewhere.
//
// A file of assignments is data, and is read without running anything. Any other runs in bash, if
// the operator allows hooks. Either way
//
//   - what the environment of the server has already wins, unless it is empty,
//   - the project decides about itself, not about its guards: of the variables of
//     the server it may set limits and the like, see [Rules], not what the
//     operator allows or keeps secret,
//   - it may refer to the variables that tools get, and to no others, or it could
//     hand tools what the operator withholds.
type envFile struct {
	hooks.Host          // what it runs with, if it must be run; Env is the part of Server that tools get
	Server     []string // the environment of the server, as NAME=value: its values take precedence
}

// projectVariables are the variables that env.sh sets.
type projectVariables struct {
	Server   map[string]string // for the server, by name
	Tools    []string          // for tools, as NAME=value
	Warnings []string          // assignments without effect, and why
}

const (
	envName     = "server.d/env.sh"
	levelName   = "MCPBASH_LOG_LEVEL"
	patience    = 5 * time.Second
	scriptBytes = 1 << 20
	valueBytes  = 32 << 10 // programs with a longer one cannot be started on some systems
)

// Read reads the files. If there are none, nothing is set. If an env.sh cannot be read, nothing is
// set and a warning gives the reason.
func (f envFile) Read(ctx context.Context) projectVariables {
	v := f.read(ctx)
	operators, _ := process.Lookup(f.Server, levelName)
	_, err := os.Stat(f.Path(".debug"))
	if v.Server[levelName] == "" && operators == "" && err == nil {
		v.Server[levelName] = "debug"
	}
	return v
}

// read reads env.sh.
func (f envFile) read(ctx context.Context) projectVariables {
	path := f.Path("env.sh")
	// Who can write it can make tools do anything; reading it as data requires no more trust than
	// that.
	file, err := hooks.Rules{Allowed: true}.Open(f.Root, path)
	var text []byte
	if err == nil {
		text, err = file.Read(scriptBytes)
		file.Close()
	}
	c := collector{envFile: f, v: projectVariables{Server: map[string]string{}}}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.v
	case err != nil:
		c.warn("%s is ignored: %v", envName, err)
		return c.v
	}
	c.tools = f.Env()
	reason := shellfile.ReadAssignments(text, envName,
		shellfile.AssignmentOptions{Lookup: c.visible, Defaults: true, ValueBytes: valueBytes},
		func(a shellfile.Assignment) error {
			c.set(fmt.Sprintf("%s:%d: ", envName, a.Line), a.Name, a.Value)
			return nil
		})
	if reason == nil {
		return c.v
	}
	c.v = projectVariables{Server: map[string]string{}} // all assignments apply or none
	first, _, _ := strings.Cut(reason.Error(), "\n")
	hook, err := f.Open("env.sh")
	switch {
	case errors.Is(err, hooks.ErrNotAllowed):
		c.warn("%s; the file is ignored. Set MCPBASH_ALLOW_PROJECT_HOOKS=true to run it as a script", first)
	case err != nil:
		c.warn("%s is not run: %v", envName, err)
	default:
		defer hook.Close()
		if err := c.run(ctx, hook); err != nil {
			c.warn("%s: %v; its variables are ignored", envName, err)
		}
	}
	return c.v
}

// A collector collects the variables that one file sets.
type collector struct {
	envFile
	tools []string // the part of Server that tools get
	v     projectVariables
}

func (c *collector) warn(format string, args ...any) {
	c.v.Warnings = append(c.v.Warnings, fmt.Sprintf(format, args...))
}

// visible looks up variables that tools get.
func (c *collector) visible(name string) (value string, set bool) {
	return process.Lookup(c.tools, name)
}

// set sets a variable for the server or for tools. An older name of the specification has no prefix, and is a
// variable of tools too.
func (c *collector) set(place, name, value string) {
	of := cmp.Or(newer[name], name)
	operators, _ := process.Lookup(c.Server, name)
	if slices.Contains(settable(), of) {
		if !c.operatorSets(of) { // the environment takes precedence
			c.v.Server[of] = value
		}
		if strings.HasPrefix(name, "MCPBASH_") {
			return
		}
	}
	switch {
	case forOperators(name):
		c.warn("%s%s is ignored: only the operator can set it, in the environment of the server", place, name)
	case dangerous(name):
		c.warn("%s%s is ignored: it changes how programs start", place, name)
	case operators != "": // likewise
		if _, visible := c.visible(name); !visible && of == name {
			c.warn("%s%s is ignored: the environment of the server sets it too, but does not pass it to tools; add it to "+
				"MCPBASH_TOOL_ENV_ALLOWLIST with MCPBASH_TOOL_ENV_MODE=allowlist, or unset it there", place, name)
		}
	default:
		c.v.Tools = append(slices.DeleteFunc(c.v.Tools, func(v string) bool { return strings.HasPrefix(v, name+"=") }),
			name+"="+value)
	}
}

// operatorSets reports whether the environment of the server has a variable, by any of its names.
func (c *collector) operatorSets(name string) bool {
	return slices.ContainsFunc(c.Server, func(v string) bool {
		set, value, _ := strings.Cut(v, "=")
		return value != "" && cmp.Or(newer[set], set) == name
	})
}

// source runs the file and prints what is exported then, whatever it does to IFS.
const source = `set -a
. "$1" >&2 || exit
unset IFS
for _mcp_name in $(compgen -e); do
	case $_mcp_name in _mcp_name) ;; *) printf '%s=%s\0' "$_mcp_name" "${!_mcp_name}" ;; esac
done`

// run runs the file.
func (c *collector) run(ctx context.Context, hook *hooks.Script) error {
	result := c.Run(ctx, hook, hooks.Program{Text: source, Limit: patience, Head: 1 << 20})
	if err := result.Failure(); err != nil {
		return err
	}
	given := process.WithLocale(c.tools) // as the file got it
	for variable := range bytes.SplitSeq(result.Stdout, []byte{0}) {
		name, value, ok := strings.Cut(string(variable), "=")
		before, had := process.Lookup(given, name)
		if ok && !slices.Contains(bashVariables, name) && !(had && before == value) {
			c.set(envName+": ", name, value)
		}
	}
	return nil
}

// bashVariables are variables that bash sets by itself.
var bashVariables = []string{"_", "SHLVL", "PWD", "OLDPWD", "OPTIND", "OPTARG", "OPTERR", "BASHOPTS", "SHELLOPTS"}
