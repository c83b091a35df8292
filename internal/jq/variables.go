package jq

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// bind creates the variables of the options, and $ARGS.
func (c *command) bind() error {
	named, positional := map[string]any{}, []any{}
	for _, b := range c.named {
		v, err := c.value(b)
		if err != nil {
			return fmt.Errorf("bad value for --%s %s: %w", b.option, b.name, err)
		}
		if named[b.name] = v; isIdentifier(b.name) { // others are in $ARGS.named only
			c.variables, c.values = append(c.variables, "$"+b.name), append(c.values, v)
		}
	}
	for _, b := range c.positional {
		v, err := c.value(b)
		if err != nil {
			return fmt.Errorf("invalid JSON text passed to --jsonargs: %w", err)
		}
		positional = append(positional, v)
	}
	c.variables = append(c.variables, "$ARGS")
	c.values = append(c.values, map[string]any{"positional": positional, "named": named})
	return nil
}

func isIdentifier(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// value returns the value of a binding's variable.
func (c *command) value(b binding) (any, error) {
	if b.option == "arg" {
		return validUTF8(b.given), nil
	}
	raw := b.option == "rawfile"
	in := inputs{command: &command{options: &options{rawInput: raw, slurp: raw}, out: c.out, err: c.err}}
	if b.option == "argjson" {
		in.in = strings.NewReader(b.given)
	} else {
		in.files = []string{b.given}
	}
	v, err := in.all()
	if err != nil || in.failed {
		return nil, cmp.Or(err, errors.New("the file cannot be read"))
	}
	all, _ := v.([]any)
	switch {
	case b.option == "argjson" && len(all) != 1:
		return nil, fmt.Errorf("%d values instead of one", len(all))
	case b.option == "argjson", b.option == "argfile" && len(all) == 1:
		return all[0], nil
	}
	return v, nil
}
