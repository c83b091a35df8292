package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

// jqCommand is jq, for scripts on machines that have none.
func jqCommand(p program) *cobra.Command {
	return &cobra.Command{
		Use:                "jq FILTER [FILE...]",
		Short:              "Run a jq filter over JSON",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			p.exit(jq.Main(args, p.in, p.out, p.err, p.environ))
			return nil
		},
	}
}

// withJQ makes sure that scripts find a jq and a gojq: to a name that PATH in env
// has not, the program itself answers, last on their PATH. The variables by which
// the Bash program named its JSON tool are set too.
func withJQ(env []string, state string) ([]string, error) {
	env = slices.Clone(env)
	at := slices.IndexFunc(env, func(v string) bool { return strings.HasPrefix(strings.ToUpper(v), "PATH=") })
	if at < 0 {
		env = append(env, "PATH=")
		at = len(env) - 1
	}
	if strings.HasSuffix(env[at], "=") { // what programs do without a PATH ends when there is one
		env[at] += usualPath
	}
	dir := filepath.Join(state, "bin")
	for _, name := range jqNames {
		found, err := exec.LookPath(name)
		if err != nil {
			if found, err = linkJQ(dir, name); err != nil {
				return env, err
			}
			if end := string(os.PathListSeparator) + dir; !strings.HasSuffix(env[at], end) {
				env[at] += end
			}
		}
		if name == jqNames[0] {
			env = append(env, "MCPBASH_JSON_TOOL=jq", "MCPBASH_JSON_TOOL_BIN="+found)
		}
	}
	return env, nil
}

// jqNames are the names under which the program is jq. Scripts are told of the
// first.
var jqNames = []string{"jq", "gojq"}

// givingJQ is the environment of a server whose scripts find a jq, those that are
// no tools too.
func givingJQ(env map[string]string, state string) map[string]string {
	all, err := withJQ(pairs(env), state)
	if err != nil {
		return env // which is told where tools are given theirs
	}
	given := make(map[string]string, len(all))
	for _, v := range all {
		name, value, _ := strings.Cut(v, "=")
		given[name] = value
	}
	return given
}

// usualPath is where tools find programs if the server was started without a PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin"

// linkJQ makes a jq of that name in a folder of its own, unless it is there, and
// returns its path.
func linkJQ(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	if _, err := os.Lstat(path); err == nil {
		return path, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" {
		return path, os.Symlink(self, path)
	}
	// Links need a privilege there. The shell that runs the tools runs this too.
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' jq \"$@\"\n", filepath.ToSlash(self))
	return path, os.WriteFile(path, []byte(script), 0o700)
}
