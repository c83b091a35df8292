package jq

import (
	"fmt"
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
	named, positional := map[string]any{}, []any{}
	for _, b := range c.options.named {
		v, err := b.evaluate()
		if err != nil {
			return nil, err
		}
		named[b.name] = v
		if isIdentifier(b.name) { // others are in $ARGS.named only
			vars.names = append(vars.names, "$"+b.name)
			vars.values = append(vars.values, v)
		}
	}
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

func isIdentifier(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// evaluate returns the value of a binding.
func (b binding) evaluate() (any, error) {
	var failed error
	in := &inputs{
		options: &options{slurp: true, rawInput: b.option == "rawfile"},
		files:   []string{b.value},
		report:  func(err error) { failed = err },
	}
	switch b.option {
	case "arg":
		return validUTF8(b.value), nil
	case "argjson":
		in.files, in.stdin = []string{"-"}, strings.NewReader(b.value)
	}
	v, _ := in.Next()
	if err, bad := v.(error); bad {
		failed = err
	}
	all, _ := v.([]any)
	switch {
	case failed == nil && b.option == "argjson" && len(all) != 1:
		failed = fmt.Errorf("%d values instead of one", len(all))
	case failed == nil && (b.option == "argjson" || b.option == "argfile" && len(all) == 1):
		return all[0], nil
	}
	switch {
	case failed == nil:
		return v, nil
	case b.name == "":
		return nil, fmt.Errorf("invalid JSON text passed to --jsonargs: %w", failed)
	}
	return nil, fmt.Errorf("bad value for --%s %s: %w", b.option, b.name, failed)
}
