package jq

import (
	"errors"
	"fmt"
	"os"
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
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, syntaxError("<top-level>", text, err)
	}
	rewrite(query, text)
	f := &functions{orders: &c.orders, patterns: patterns{}, inputs: inputs, err: c.err}
	options := append(f.options(),
		gojq.WithModuleLoader(c.modules(query)),
		gojq.WithEnvironLoader(func() []string { return c.environ }),
		gojq.WithVariables(vars.names),
	)
	code, err := gojq.Compile(query, options...)
	if err != nil {
		return nil, explain(err, text)
	}
	return code, nil
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
