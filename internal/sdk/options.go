package sdk

import (
	"fmt"
	"slices"
)

// A spec says which options a helper takes: the name with its dashes, and how many
// values follow it.
type spec map[string]int

// given are the arguments of a helper.
type given struct {
	args    []string
	options []option // in the order in which they were given
}

type option struct {
	name   string
	values []string
}

// parse takes the arguments of a helper apart: n arguments, fewer if they run out, then
// options. What stands where an argument is expected is an argument, whatever it looks
// like: messages may begin with dashes.
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

// leading takes the options at the beginning, up to the first argument that is none.
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

// value returns the value of an option that was given, the last one if several were.
func (g given) value(name string) (string, bool) {
	for _, o := range slices.Backward(g.options) {
		if o.name == name && len(o.values) > 0 {
			return o.values[0], true
		}
	}
	return "", false
}

// values returns all values of an option.
func (g given) values(name string) []string {
	var all []string
	for _, o := range g.options {
		if o.name == name {
			all = append(all, o.values...)
		}
	}
	return all
}

// has reports whether an option was given.
func (g given) has(name string) bool {
	return slices.ContainsFunc(g.options, func(o option) bool { return o.name == name })
}
