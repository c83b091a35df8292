package jq

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// variables are those of the filter, with their values in the same order.
type variables struct {
	names  []string // with their $
	values []any
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// bind makes the variables that the options ask for, and $ARGS.
func (c *command) bind() (*variables, error) {
	vars := &variables{}
	named := map[string]any{}
	for _, b := range c.options.named {
		v, err := b.evaluate()
		if err != nil {
			return nil, err
		}
		named[b.name] = v
		if identifier.MatchString(b.name) { // others are in $ARGS.named only
			vars.names = append(vars.names, "$"+b.name)
			vars.values = append(vars.values, v)
		}
	}
	positional := []any{}
	for _, b := range c.options.positional {
		v, err := b.evaluate()
		if err != nil {
			return nil, err
		}
		positional = append(positional, v)
	}
	vars.names = append(vars.names, "$ARGS")
	vars.values = append(vars.values, map[string]any{"positional": positional, "named": named})
	return vars, nil
}

// evaluate returns the value of a binding.
func (b binding) evaluate() (any, error) {
	switch b.option {
	case "arg":
		return validUTF8(b.value), nil
	case "argjson":
		all, err := values(strings.NewReader(b.value))
		if err == nil && len(all) != 1 {
			err = fmt.Errorf("%d values instead of one", len(all))
		}
		switch {
		case err == nil:
			return all[0], nil
		case b.name == "":
			return nil, fmt.Errorf("invalid JSON text passed to --jsonargs: %w", err)
		}
		return nil, fmt.Errorf("invalid JSON text passed to --argjson %s: %w", b.name, err)
	}
	bad := func(err error) error { return fmt.Errorf("Bad JSON in --%s %s %s: %w", b.option, b.name, b.value, err) }
	file, err := os.Open(b.value)
	if err != nil {
		return nil, bad(fmt.Errorf("Could not open %s: %w", b.value, reason(err)))
	}
	defer file.Close()
	if b.option == "rawfile" {
		text, err := io.ReadAll(file)
		if err != nil {
			return nil, bad(reason(err))
		}
		return validUTF8(string(text)), nil
	}
	all, err := values(file)
	if err != nil {
		return nil, bad(reason(err))
	}
	if b.option == "argfile" && len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

// values returns all JSON values of a text.
func values(r io.Reader) ([]any, error) {
	t := newReader("", r, &options{})
	all := []any{}
	for {
		v, err := t.next()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, v)
	}
}
