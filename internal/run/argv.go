package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/argv"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A commandLine is what the metadata of a tool makes of the arguments of one call.
type commandLine struct {
	args  []string
	stdin *string // nil: the tool reads nothing
}

// commandLine makes the words of a tool, or the result that says which argument none can be made of.
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

// open puts the text for stdin into the folder of the call, so that a tool which does not read it
// holds up nobody; nil for none.
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

// found is the tool with the path of its program, which may have moved since the last call.
func (r *Runtime) found(t *project.Tool) (*project.Tool, *script.StartError) {
	if t.Program == "" {
		return t, nil
	}
	path := script.LookPath(t.Program, merge(r.Env, ownEnvironment(t)))
	if path == "" {
		return nil, &script.StartError{Path: t.Program, Reason: "it is not on the PATH that tools get",
			Hint: "install it, or write its path as the first word of argv", Err: fs.ErrNotExist}
	}
	known := *t
	known.Path = path
	return &known, nil
}

// ownEnvironment are the variables that the metadata of a tool gives it.
func ownEnvironment(t *project.Tool) (own []string) {
	for name, value := range t.Env {
		own = append(own, name+"="+value)
	}
	return own
}
