package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/operator"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// sourcesServerEnv reports whether the environment asks for server.d/env.sh.
func (p program) sourcesServerEnv() bool {
	v := p.env["MCPBASH_RUN_TOOL_SOURCE_SERVER_ENV"]
	return v == "1" || v == "true"
}

// serverEnvFile returns the path of a project's server.d/env.sh.
func (p program) serverEnvFile(root string) string {
	return filepath.Join(files.InRoot(root, cmp.Or(p.env["MCPBASH_SERVER_DIR"], "server.d")), "env.sh")
}

// sourceFile returns the path of a file of --source: in the project, or else in the current folder.
func sourceFile(root, file string) string {
	if inProject := filepath.Join(root, file); !filepath.IsAbs(file) && (exists(inProject) || !exists(file)) {
		return inProject
	}
	return file
}

// sourceFiles runs the shell files that the flags name, in order, and adds the variables that they export or set to the
// environment. It returns those that they have set, as NAME=value.
func (h *callHere) sourceFiles(a *clientCommand) (set []string, err error) {
	var files []string
	if path := a.serverEnvFile(a.root); h.serverEnv && exists(path) {
		files = append(files, path)
	}
	for _, file := range h.source {
		files = append(files, sourceFile(a.root, file))
	}
	for _, file := range files {
		if !exists(file) {
			return nil, console.Usagef("env file not found: %s", file)
		}
		if h.verbose {
			fmt.Fprintf(a.err, "run-tool: sourcing %s\n", file)
		}
		variables, err := a.source(file)
		if err != nil {
			return nil, console.Usagef("%s: %w", file, err)
		}
		set = append(set, variables...)
	}
	return set, nil
}

// source runs a file in bash and adds the variables it exports or sets to the
// environment. It returns those that it has set, as NAME=value.
func (p program) source(file string) (set []string, err error) {
	cmd := exec.Command(process.Bash(p.environ), "-c", `set -ae; . "$1" >&2; env -0`, "mcp-bash", file)
	cmd.Env = operator.Pairs(p.env)
	cmd.Stderr = p.err
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for variable := range bytes.SplitSeq(out, []byte{0}) {
		if name, value, ok := strings.Cut(string(variable), "="); ok && !slices.Contains(ofShell, name) {
			if before, had := p.env[name]; !had || before != value {
				set = append(set, string(variable))
			}
			p.env[name] = value
		}
	}
	return set, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ofShell are variables that bash itself sets.
var ofShell = []string{"_", "SHLVL", "PWD", "OLDPWD"}
