package jq

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/itchyny/gojq"
)

// compile compiles the filter, or prints an error, and returns an exit code.
func (c *command) compile() int {
	text := c.filter
	if c.fromFile {
		file, err := os.ReadFile(text)
		if err != nil {
			fmt.Fprintf(c.err, "jq: error: Could not open %s: %v\n", text, reason(err))
			return exitUsage
		}
		text = string(file)
	}
	filter, err := Parse(text)
	if err == nil {
		c.code, err = gojq.Compile(filter,
			gojq.WithModuleLoader(extended{gojq.NewModuleLoader(c.libraryFolders()).(modules), filter}),
			gojq.WithVariables(c.variables),
			gojq.WithEnvironLoader(func() []string { return c.environ }),
			gojq.WithInputIter(&c.inputs),
			gojq.WithFunction("input_filename", 0, 0, func(any, []any) any { return c.inputs.filename() }),
			gojq.WithFunction("input_line_number", 0, 0, func(any, []any) any { return c.inputs.reader.line() }),
			gojq.WithFunction("debug", 0, 0, c.debug),
			gojq.WithFunction("stderr", 0, 0, c.stderr),
		)
	}
	if err != nil {
		fmt.Fprintf(c.err, "jq: error: %s\njq: 1 compile error\n", explain(err, text))
		return exitCompile
	}
	return exitOK
}

// libraryFolders returns the folders of -L, or ~/.jq, which may also be a file of definitions.
func (c *command) libraryFolders() []string {
	if len(c.libraries) > 0 {
		return c.libraries
	}
	for _, variable := range c.environ {
		if home, ok := strings.CutPrefix(variable, "HOME="); ok && home != "" {
			return []string{filepath.Join(home, ".jq")}
		}
	}
	return nil
}

func (c *command) debug(v any, _ []any) any {
	fmt.Fprintf(c.err, "[\"DEBUG:\",%s]\n", compact(v))
	return v
}

func (c *command) stderr(v any, _ []any) any {
	fmt.Fprint(c.err, text(v))
	return v
}

// explain describes an error in the text of a filter or a module, with its place.
func explain(err error, text string) string {
	name := "<top-level>"
	var module interface {
		QueryParseError() (name, text string, err error)
	}
	if errors.As(err, &module) {
		name, text, err = module.QueryParseError()
	}
	var syntax *gojq.ParseError
	if !errors.As(err, &syntax) {
		return fmt.Sprintf("%v at %s:\n%s", err, name, text)
	}
	at := min(max(syntax.Offset-len(syntax.Token), 0), len(text))
	line := 1 + strings.Count(text[:at], "\n")
	start := strings.LastIndexByte(text[:at], '\n') + 1
	shown, _, _ := strings.Cut(text[start:], "\n")
	return fmt.Sprintf("syntax error, %v at %s, line %d, column %d:\n%s\n%*s",
		err, name, line, at-start+1, shown, at-start+1, "^")
}

// reason returns an error of a file without the file's name.
func reason(err error) error { return cmp.Or(errors.Unwrap(err), err) }
