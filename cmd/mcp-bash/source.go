package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// sourceFiles runs the shell files that run-tool was given, in order, and takes
// over the variables that they export or set.
func (p program) sourceFiles(r *toolRun) error {
	serverEnv := p.env["MCPBASH_RUN_TOOL_SOURCE_SERVER_ENV"]
	r.serverEnv = r.serverEnv || serverEnv == "1" || serverEnv == "true"
	files := r.source
	if r.serverEnv {
		dir := p.env["MCPBASH_SERVER_DIR"]
		if dir == "" {
			dir = filepath.Join(r.root, "server.d")
		}
		if path := filepath.Join(dir, "env.sh"); exists(path) {
			files = append([]string{path}, files...)
		}
	}
	for _, file := range files {
		set, err := p.source(file)
		if err != nil {
			return usageError{fmt.Errorf("%s: %w", file, err)}
		}
		r.sourced = append(r.sourced, set...)
	}
	return nil
}

// source runs a file in bash and adds the variables that it leaves to ours. It
// returns those that it has set, as NAME=value.
func (p program) source(file string) (set []string, err error) {
	if !exists(file) {
		return nil, os.ErrNotExist
	}
	cmd := exec.Command(script.Bash(), "-c", `set -ae; . "$1" >&2; env -0`, "mcp-bash", file)
	cmd.Env = pairs(p.env)
	cmd.Stderr = p.err
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	for variable := range bytes.SplitSeq(out, []byte{0}) {
		if name, value, ok := strings.Cut(string(variable), "="); ok && !ofShell(name) {
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

// ofShell reports whether a variable is bash's own.
func ofShell(name string) bool {
	switch name {
	case "_", "SHLVL", "PWD", "OLDPWD":
		return true
	}
	return false
}
