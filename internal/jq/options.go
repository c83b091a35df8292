package jq

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// options are the parsed arguments.
type options struct {
	filter              string // the filter, or with fromFile the file that contains it
	hasFilter, fromFile bool
	files, libraries    []string // libraries are the folders of -L

	nullInput, rawInput, slurp, stream, seq bool

	raw, join, zero, ascii, unbuffered bool // with join and zero, raw is set
	compact, tab                       bool // not both
	indent                             int

	exitStatus, help, version, ignored bool

	named, positional []binding
	then              string // kind of the operands after --args and --jsonargs: "arg" or "argjson"
}

// A binding is a value for the filter, as given in the arguments.
type binding struct {
	option string // "arg", "argjson", "slurpfile", "rawfile", "argfile"
	name   string
	given  string // the value, or the name of its file
}

// flag returns the option of that name or letter, nil if there is none without parameters.
func (o *options) flag(name string) *bool {
	return map[string]*bool{
		"n": &o.nullInput, "null-input": &o.nullInput, "R": &o.rawInput, "raw-input": &o.rawInput,
		"s": &o.slurp, "slurp": &o.slurp, "stream": &o.stream, "seq": &o.seq,
		"c": &o.compact, "compact-output": &o.compact, "tab": &o.tab,
		"r": &o.raw, "raw-output": &o.raw, "raw-output0": &o.zero, "j": &o.join, "join-output": &o.join,
		"a": &o.ascii, "ascii-output": &o.ascii, "unbuffered": &o.unbuffered,
		"e": &o.exitStatus, "exit-status": &o.exitStatus, "f": &o.fromFile, "from-file": &o.fromFile,
		"h": &o.help, "help": &o.help, "V": &o.version, "version": &o.version,
		"S": &o.ignored, "sort-keys": &o.ignored, "C": &o.ignored, "color-output": &o.ignored, // keys are always sorted
		"M": &o.ignored, "monochrome-output": &o.ignored, "b": &o.ignored, "binary": &o.ignored,
	}[name]
}

// parameters are the parameters of the other options.
var parameters = map[string]string{
	"arg": "name value", "argjson": "name json", "args": "", "jsonargs": "",
	"slurpfile": "name file", "rawfile": "name file", "argfile": "name file",
	"indent": "number", "L": "dir", "library-path": "dir",
}

// parseOptions parses the arguments as jq does: options may be anywhere, also joined; an argument
// that looks like a number is not an option; the first other argument is the filter.
func parseOptions(args []string) (*options, error) {
	o := &options{filter: ".", indent: 2}
	for ended := false; len(args) > 0; {
		arg := args[0]
		args = args[1:]
		names := strings.Split(strings.TrimPrefix(arg, "-"), "")
		switch {
		case ended || len(arg) < 2 || arg[0] != '-' || arg[1] != '-' && (arg[1]|0x20 < 'a' || arg[1]|0x20 > 'z'):
			o.operand(arg)
			continue
		case arg == "--":
			ended = true
			continue
		case arg[1] == '-' && len(arg) == len("--n"):
			return nil, fmt.Errorf("unknown option %s", arg)
		case arg[1] == '-':
			names = []string{arg[2:]}
		case arg[1] == 'L' && len(arg) > 2:
			names, args = []string{"L"}, append([]string{arg[2:]}, args...)
		}
		for _, name := range names {
			n, err := o.set(arg, name, args)
			if err != nil {
				return nil, err
			}
			args = args[n:]
		}
	}
	if o.fromFile && !o.hasFilter {
		return nil, errors.New("-f takes a parameter: the file that holds the filter")
	}
	return o, nil
}

func (o *options) operand(arg string) {
	switch {
	case !o.hasFilter:
		o.filter, o.hasFilter = arg, true
	case o.then != "":
		o.positional = append(o.positional, binding{option: o.then, given: arg})
	default:
		o.files = append(o.files, arg)
	}
}

// set sets the option with a name, which is part of arg, and returns how many of the following
// arguments are its parameters.
func (o *options) set(arg, name string, following []string) (int, error) {
	if flag := o.flag(name); flag != nil {
		if flag == &o.compact || flag == &o.tab { // the last one counts
			o.compact, o.tab = false, false
		}
		*flag = true
		o.raw = o.raw || o.join || o.zero
		return 0, nil
	}
	wanted, known := parameters[name]
	n := len(strings.Fields(wanted))
	switch {
	case !known:
		return 0, fmt.Errorf("unknown option %s", arg)
	case len(following) < n:
		return 0, fmt.Errorf("%s needs parameters: %s %s", arg, arg, wanted)
	}
	switch name {
	case "args":
		o.then = "arg"
	case "jsonargs":
		o.then = "argjson"
	case "L", "library-path":
		o.libraries = append(o.libraries, following[0])
	case "indent":
		var err error
		if o.indent, err = strconv.Atoi(following[0]); err != nil || o.indent < 0 || o.indent > 7 {
			return 0, fmt.Errorf("--indent takes a number from 0 to 7, not %q", following[0])
		}
		o.compact, o.tab = false, false
	default:
		if !slices.ContainsFunc(o.named, func(b binding) bool { return b.name == following[0] }) { // the first one counts
			o.named = append(o.named, binding{name, following[0], following[1]})
		}
	}
	return n, nil
}
