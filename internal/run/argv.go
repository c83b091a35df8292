package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// commandLine returns the arguments of the tool's program and its stdin, nil for none, as its metadata makes them of
// the call's arguments. refused is the result if those do not fit. What is read from stdin is a file in the folder of
// the call, not a pipe, so that a tool which does not read it blocks nobody.
func (c Call) commandLine(f *folder) (args []string, stdin *os.File, refused *mcp.CallToolResult, err error) {
	if c.Tool.None() {
		return nil, nil, nil, nil
	}
	given, err := argv.ReadArguments(c.Args, c.Tool.Defaults)
	if err != nil {
		return nil, nil, nil, err
	}
	var text []string
	if args, err = c.Tool.Argv.Fill(given); err == nil && c.Tool.Stdin != nil {
		text, err = c.Tool.Stdin.Text(given)
	}
	if fault, ok := errors.AsType[*argv.Fault](err); ok {
		return nil, nil, failure(fmt.Sprintf("Invalid arguments for tool %s:\n- %v", c.Tool.Name, fault)), nil
	}
	if err == nil && len(text) > 0 {
		var path string
		if path, err = f.write("stdin", []byte(text[0])); err == nil {
			stdin, _, err = files.OpenUnlinked(path)
		}
	}
	return args, stdin, nil, err
}

// resolveProgram finds the program of the call's tool, anew for each call since it may have moved.
func (r *Runtime) resolveProgram(c *Call) *process.StartError {
	if c.Tool.Program == "" {
		return nil
	}
	found := *c.Tool
	if found.Path = process.LookPath(found.Program, merge(r.Env(), ownEnvironment(c.Tool))); found.Path == "" {
		return &process.StartError{Path: found.Program, Reason: "it is not on the PATH that tools get",
			Hint: "install it, or write its path as the first word of argv", Err: fs.ErrNotExist}
	}
	c.Tool = &found
	return nil
}

// ownEnvironment returns the variables that are set in the metadata of a tool.
func ownEnvironment(t *catalog.Tool) (own []string) {
	for name, value := range t.Env {
		own = append(own, name+"="+value)
	}
	return own
}
