package sdk

import (
	"fmt"
	"slices"
)

// A spec has the options of a helper: the name with its dashes, and how many values
// follow it.
type spec map[string]int

// given are the parsed arguments of a helper.
type given struct {
	args    []string
	options []option // in the order in which they were given
}

type option struct {
	name   string
	values []string
}

// parse parses the arguments of a helper: up to n positional arguments, then options. The
// first n are always positional, even if they begin with dashes, as messages may.
func (s spec) parse(args []string, n int) (given, error) {
	var g given
	g.args, args = args[:min(n, len(args))], args[min(n, len(args)):]
	for len(args) > 0 {
		o, rest, err := s.take(args)
		if err != nil {
			return g, err
		}
		g.options, args = append(g.options, o), rest
	}
	return g, nil
}

// leading parses the options at the beginning, up to the first argument that is not an option.
func (s spec) leading(args []string) ([]option, []string, error) {
	var options []option
	for len(args) > 0 {
		if _, known := s[args[0]]; !known {
			break
		}
		o, rest, err := s.take(args)
		if err != nil {
			return nil, nil, err
		}
		options, args = append(options, o), rest
	}
	return options, args, nil
}

func (s spec) take(args []string) (option, []string, error) {
	n, known := s[args[0]]
	switch {
	case !known:
		return option{}, nil, fmt.Errorf("unknown option %q", args[0])
	case len(args) <= n:
		return option{}, nil, fmt.Errorf("%s needs a value", args[0])
	}
	return option{args[0], args[1 : n+1]}, args[n+1:], nil
}

// value returns the value of an option, the last one if it was given several times.
func (g given) value(name string) (string, bool) {
	for _, o := range slices.Backward(g.options) {
		if o.name == name && len(o.values) > 0 {
			return o.values[0], true
		}
	}
	return "", false
}

func (g given) values(name string) []string {
	var all []string
	for _, o := range g.options {
		if o.name == name {
			all = append(all, o.values...)
		}
	}
	return all
}

func (g given) has(name string) bool {
	return slices.ContainsFunc(g.options, func(o option) bool { return o.name == name })
}
