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

// A commandLine is the command line of one call, built from the tool's metadata and the call's arguments.
type commandLine struct {
	args  []string
	stdin *string // nil: the tool reads nothing
}

// commandLine builds the command line of the call. refused is the result for arguments that do not fit into
// one.
func (c Call) commandLine() (line commandLine, refused *mcp.CallToolResult, err error) {
	if c.Tool.None() {
		return line, nil, nil
	}
	args, err := argv.ReadArguments(c.Args, c.Tool.Defaults)
	if err != nil {
		return line, nil, err
	}
	line.args, err = c.Tool.Argv.Fill(args)
	if err == nil && c.Tool.Stdin != nil {
		var texts []string
		if texts, err = c.Tool.Stdin.Text(args); len(texts) > 0 {
			line.stdin = &texts[0]
		}
	}
	if fault, ok := errors.AsType[*argv.Fault](err); ok {
		return line, failure(fmt.Sprintf("Invalid arguments for tool %s:\n- %v", c.Tool.Name, fault)), nil
	}
	return line, nil, err
}

// open returns a file with the text for stdin, nil for none. It is a file in the folder of the call,
// not a pipe, so that a tool which does not read it blocks nobody.
func (l commandLine) open(f *folder) (*os.File, error) {
	if l.stdin == nil {
		return nil, nil
	}
	path, err := f.write("stdin", []byte(*l.stdin))
	if err != nil {
		return nil, err
	}
	file, _, err := files.OpenUnlinked(path)
	return file, err
}

// resolveProgram returns the tool with the path of its program, looked up again for each call since it may
// have moved.
func (r *Runtime) resolveProgram(t *catalog.Tool) (*catalog.Tool, *process.StartError) {
	if t.Program == "" {
		return t, nil
	}
	path := process.LookPath(t.Program, merge(r.Env(), ownEnvironment(t)))
	if path == "" {
		return nil, &process.StartError{Path: t.Program, Reason: "it is not on the PATH that tools get",
			Hint: "install it, or write its path as the first word of argv", Err: fs.ErrNotExist}
	}
	known := *t
	known.Path = path
	return &known, nil
}

// ownEnvironment returns the variables that are set in the metadata of a tool.
func ownEnvironment(t *catalog.Tool) (own []string) {
	for name, value := range t.Env {
		own = append(own, name+"="+value)
	}
	return own
}
