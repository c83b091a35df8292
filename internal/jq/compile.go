package jq

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/itchyny/gojq"
)

// A compileError is an error in the text of the filter.
type compileError struct{ message string }

func (e *compileError) Error() string { return e.message }

// compile compiles the filter of the options.
func (c *command) compile(vars *variables, inputs *inputs) (*gojq.Code, error) {
	text := c.options.filter
	if c.options.fromFile {
		file, err := os.ReadFile(text)
		if err != nil {
			return nil, fmt.Errorf("Could not open %s: %w", text, reason(err))
		}
		text = string(file)
	}
	if strings.TrimSpace(text) == "" {
		text = "."
	}
	filter, err := gojq.Parse(text)
	if err != nil {
		return nil, syntaxError("<top-level>", text, err)
	}
	modules := gojq.NewModuleLoader(c.libraries()).(files)
	code, err := compile(filter, modules, []gojq.CompilerOption{
		gojq.WithVariables(vars.names),
		gojq.WithEnvironLoader(func() []string { return c.environ }),
		gojq.WithInputIter(inputs),
		gojq.WithFunction("input_filename", 0, 0, func(any, []any) any { return inputs.filename() }),
		gojq.WithFunction("input_line_number", 0, 0, func(any, []any) any { return inputs.line() }),
		gojq.WithFunction("debug", 0, 0, c.debug),
		gojq.WithFunction("stderr", 0, 0, c.stderr),
	})
	if err != nil {
		return nil, explain(err, text)
	}
	return code, nil
}

// libraries are the folders of -L, or ~/.jq, which may also be a file of definitions.
func (c *command) libraries() []string {
	if len(c.options.libraries) > 0 {
		return c.options.libraries
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

// explain says what is wrong with a filter that parses.
func explain(err error, text string) error {
	var module interface {
		QueryParseError() (name, text string, err error)
	}
	if errors.As(err, &module) {
		return syntaxError(module.QueryParseError())
	}
	message := err.Error()
	for _, kind := range []string{"function", "variable"} {
		if name, ok := strings.CutPrefix(message, kind+" not defined: "); ok {
			message = name + " is not defined"
		}
	}
	return &compileError{fmt.Sprintf("%s at <top-level>:\n%s", message, text)}
}

// syntaxError shows the place of an error.
func syntaxError(name, text string, err error) error {
	var parse *gojq.ParseError
	if !errors.As(err, &parse) {
		return &compileError{fmt.Sprintf("%v in %s", err, name)}
	}
	at := min(max(parse.Offset-len(parse.Token), 0), len(text))
	line := 1 + strings.Count(text[:at], "\n")
	start := strings.LastIndexByte(text[:at], '\n') + 1
	shown, _, _ := strings.Cut(text[start:], "\n")
	return &compileError{fmt.Sprintf("syntax error, %v at %s, line %d, column %d:\n%s\n%*s",
		err, name, line, at-start+1, shown, at-start+1, "^")}
}
