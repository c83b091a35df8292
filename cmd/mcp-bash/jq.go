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

	"github.com/mcp-bash/mcp-bash/internal/jq"
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

// withJQ makes sure that tools find a jq: where PATH in env has none, the
// program itself answers to that name, last on their PATH. The variables by
// which the Bash program named its JSON tool are set too.
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
	found, err := exec.LookPath("jq")
	if err != nil {
		dir := filepath.Join(state, "bin")
		if found, err = linkJQ(dir); err != nil {
			return env, err
		}
		env[at] += string(os.PathListSeparator) + dir
	}
	return append(env, "MCPBASH_JSON_TOOL=jq", "MCPBASH_JSON_TOOL_BIN="+found), nil
}

// usualPath is where tools find programs if the server was started without a PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin"

// linkJQ makes a jq in a folder of its own and returns its path.
func linkJQ(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "jq")
	if runtime.GOOS != "windows" {
		return path, os.Symlink(self, path)
	}
	// Links need a privilege there. The shell that runs the tools runs this too.
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' jq \"$@\"\n", filepath.ToSlash(self))
	return path, os.WriteFile(path, []byte(script), 0o700)
}
