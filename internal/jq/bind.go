package jq

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
)

// variables are those of the filter, with their values in the same order.
type variables struct {
	names  []string // with their $
	values []any
}

// bind makes the variables that the options ask for, and $ARGS.
func (c *command) bind() (*variables, error) {
	vars := &variables{}
	named := map[string]any{}
	var names []string
	for _, b := range c.options.named {
		v, err := c.evaluate(b)
		if err != nil {
			return nil, err
		}
		named[b.name] = v
		names = append(names, b.name)
		if isIdentifier(b.name) { // others are in $ARGS.named only
			vars.names = append(vars.names, "$"+b.name)
			vars.values = append(vars.values, v)
		}
	}
	positional := []any{}
	for _, b := range c.options.positional {
		v, err := c.evaluate(b)
		if err != nil {
			return nil, err
		}
		positional = append(positional, v)
	}
	args := map[string]any{"positional": positional, "named": named}
	c.orders.set(named, names)
	c.orders.set(args, []string{"positional", "named"})
	vars.names = append(vars.names, "$ARGS")
	vars.values = append(vars.values, args)
	return vars, nil
}

func isIdentifier(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && !strings.ContainsFunc(s, func(r rune) bool { return !isWord(r) })
}

// evaluate returns the value of a binding.
func (c *command) evaluate(b binding) (any, error) {
	switch b.option {
	case "arg":
		return validUTF8([]byte(b.value)), nil
	case "argjson":
		v, err := c.orders.parseText(b.value)
		if err != nil && b.name == "" {
			return nil, errors.New("invalid JSON text passed to --jsonargs")
		}
		if err != nil {
			return nil, fmt.Errorf("invalid JSON text passed to --argjson %s: %w", b.name, err)
		}
		return v, nil
	}
	bad := func(err error) error { return fmt.Errorf("Bad JSON in --%s %s %s: %w", b.option, b.name, b.value, err) }
	text, err := os.ReadFile(b.value)
	if err != nil {
		return nil, bad(fmt.Errorf("Could not open %s: %w", b.value, reason(err)))
	}
	if b.option == "rawfile" {
		return validUTF8(text), nil
	}
	all, err := c.orders.parseAll(bytes.NewReader(text))
	if err != nil {
		return nil, bad(err)
	}
	if b.option == "argfile" && len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}
