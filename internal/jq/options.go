package jq

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// options are what the arguments ask for.
type options struct {
	filter    string // the filter, or with fromFile the file that holds it
	hasFilter bool
	fromFile  bool
	files     []string
	libraries []string // of -L

	nullInput, rawInput, slurp, stream, seq bool

	raw, join, zero, ascii, unbuffered bool // join and zero are raw too
	compact, tab                       bool // not both
	indent                             int

	exitStatus, help, version, ignored bool

	named      []binding
	positional []binding
}

// A binding is a value for the filter, as the arguments give it.
type binding struct {
	option string // "arg", "argjson", "slurpfile", "rawfile", "argfile"
	name   string
	value  string // the value, or the name of its file
}

// flag returns the option of that name or letter, nil if there is none without parameters.
func (o *options) flag(name string) *bool {
	return map[string]*bool{
		"n": &o.nullInput, "null-input": &o.nullInput,
		"R": &o.rawInput, "raw-input": &o.rawInput,
		"s": &o.slurp, "slurp": &o.slurp,
		"stream": &o.stream, "seq": &o.seq,
		"c": &o.compact, "compact-output": &o.compact, "tab": &o.tab,
		"r": &o.raw, "raw-output": &o.raw,
		"j": &o.join, "join-output": &o.join, "raw-output0": &o.zero,
		"a": &o.ascii, "ascii-output": &o.ascii,
		"unbuffered": &o.unbuffered,
		"e":          &o.exitStatus, "exit-status": &o.exitStatus,
		"f": &o.fromFile, "from-file": &o.fromFile,
		"h": &o.help, "help": &o.help,
		"V": &o.version, "version": &o.version,
		"S": &o.ignored, "sort-keys": &o.ignored, // they always are
		"C": &o.ignored, "color-output": &o.ignored,
		"M": &o.ignored, "monochrome-output": &o.ignored,
		"b": &o.ignored, "binary": &o.ignored,
	}[name]
}

// parameters are those of the other options.
var parameters = map[string]string{
	"arg": "name value", "argjson": "name json", "args": "", "jsonargs": "",
	"slurpfile": "name file", "rawfile": "name file", "argfile": "name file",
	"indent": "number", "L": "dir", "library-path": "dir",
}

// parseOptions reads the arguments as jq does: options may stand anywhere, one-letter
// options may be joined, what looks like a number is not an option, and the first other
// argument is the filter.
func parseOptions(args []string) (*options, error) {
	p := &argParser{options: options{filter: ".", indent: 2}, rest: args}
	for len(p.rest) > 0 {
		arg := p.rest[0]
		p.rest = p.rest[1:]
		var err error
		switch {
		case p.ended || !looksLikeOption(arg):
			p.operand(arg)
		case arg == "--":
			p.ended = true
		case arg[1] == 'L' && len(arg) > 2:
			p.libraries = append(p.libraries, arg[2:])
		case arg == "-L" || arg[1] == '-' && len(arg) > 3:
			err = p.set(arg, strings.TrimLeft(arg, "-"))
		case arg[1] == '-':
			err = fmt.Errorf("unknown option %s", arg)
		default:
			for _, letter := range arg[1:] {
				if err = p.set(arg, string(letter)); err != nil {
					break
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if p.fromFile && !p.hasFilter {
		return nil, errors.New("-f takes a parameter: the file that holds the filter")
	}
	return &p.options, nil
}

type argParser struct {
	options
	rest  []string
	ended bool   // "--" was seen
	then  string // "arg" or "argjson": what operands are after --args and --jsonargs
}

func looksLikeOption(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] == '-' || 'a' <= arg[1]|0x20 && arg[1]|0x20 <= 'z')
}

func (p *argParser) operand(arg string) {
	switch {
	case !p.hasFilter:
		p.filter, p.hasFilter = arg, true
	case p.then != "":
		p.positional = append(p.positional, binding{option: p.then, value: arg})
	default:
		p.files = append(p.files, arg)
	}
}

// set sets the option of that name, which arg has, with its parameters.
func (p *argParser) set(arg, name string) error {
	if flag := p.flag(name); flag != nil {
		if flag == &p.compact || flag == &p.tab { // the last one counts
			p.compact, p.tab = false, false
		}
		*flag = true
		return nil
	}
	wanted, known := parameters[name]
	n := len(strings.Fields(wanted))
	switch {
	case !known:
		return fmt.Errorf("unknown option %s", arg)
	case len(p.rest) < n:
		return fmt.Errorf("%s needs parameters: %s %s", arg, arg, wanted)
	}
	given := p.rest[:n]
	p.rest = p.rest[n:]
	switch name {
	case "args":
		p.then = "arg"
	case "jsonargs":
		p.then = "argjson"
	case "L", "library-path":
		p.libraries = append(p.libraries, given[0])
	case "indent":
		var err error
		if p.indent, err = strconv.Atoi(given[0]); err != nil || p.indent < 0 || p.indent > 7 {
			return fmt.Errorf("--indent takes a number from 0 to 7, not %q", given[0])
		}
		p.compact, p.tab = false, false
	default:
		if !slices.ContainsFunc(p.named, func(b binding) bool { return b.name == given[0] }) { // the first one counts
			p.named = append(p.named, binding{name, given[0], given[1]})
		}
	}
	return nil
}
