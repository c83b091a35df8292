package jq

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// options are what the arguments ask for.
type options struct {
	filter    string // the filter, or with fromFile the file that holds it
	hasFilter bool
	fromFile  bool
	files     []string
	libraries []string // of -L

	nullInput, rawInput, slurp, stream, seq bool

	raw, join, zero, ascii, sortKeys, unbuffered bool
	compact, tab                                 bool
	indent                                       int

	exitStatus, help, version bool

	named      []binding
	positional []binding
}

// A binding is a value for the filter, as the arguments give it.
type binding struct {
	option string // "arg", "argjson", "slurpfile", "rawfile", "argfile"
	name   string
	value  string // the value, or the name of its file
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
		case arg[1] == '-':
			err = p.long(arg[2:])
		default:
			err = p.short(arg)
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

// take removes n parameters of an option from the arguments.
func (p *argParser) take(option string, n int, example string) ([]string, error) {
	if len(p.rest) < n {
		count := [...]string{"", "one parameter", "two parameters"}[n]
		return nil, fmt.Errorf("%s takes %s (e.g. %s %s)", option, count, option, example)
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken, nil
}

func (p *argParser) short(arg string) error {
	if arg[1] == 'L' {
		return p.library(arg[2:])
	}
	for _, letter := range arg[1:] {
		if !p.flag(string(letter)) {
			return fmt.Errorf("unknown option %s", arg)
		}
	}
	return nil
}

func (p *argParser) library(dir string) error {
	if dir == "" {
		taken, err := p.take("-L", 1, "/search/path")
		if err != nil {
			return err
		}
		dir = taken[0]
	}
	p.libraries = append(p.libraries, dir)
	return nil
}

func (p *argParser) long(name string) error {
	if len(name) > 1 && p.flag(name) {
		return nil
	}
	switch name {
	case "args":
		p.then = "arg"
	case "jsonargs":
		p.then = "argjson"
	case "library-path":
		return p.library("")
	case "indent":
		taken, err := p.take("--indent", 1, "4")
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(taken[0])
		if err != nil || n < 0 || n > 7 {
			return fmt.Errorf("--indent takes a number from 0 to 7, not %q", taken[0])
		}
		p.indent, p.tab, p.compact = n, false, n == 0
	case "arg", "argjson", "slurpfile", "rawfile", "argfile":
		return p.bind(name)
	default:
		return fmt.Errorf("unknown option --%s", name)
	}
	return nil
}

// bind takes the name and the value of a variable. Of two with one name the first counts.
func (p *argParser) bind(option string) error {
	what := "filename"
	if option == "arg" || option == "argjson" {
		what = "value"
	}
	taken, err := p.take("--"+option, 2, "varname "+what)
	if err != nil {
		return err
	}
	b := binding{option, taken[0], taken[1]}
	if !slices.ContainsFunc(p.named, func(o binding) bool { return o.name == b.name }) {
		p.named = append(p.named, b)
	}
	return nil
}

// flag sets an option without parameters, by its letter or its name, and reports
// whether there is one.
func (p *argParser) flag(name string) bool {
	switch name {
	case "n", "null-input":
		p.nullInput = true
	case "R", "raw-input":
		p.rawInput = true
	case "s", "slurp":
		p.slurp = true
	case "stream":
		p.stream = true
	case "seq":
		p.seq = true
	case "c", "compact-output":
		p.compact, p.tab = true, false
	case "tab":
		p.compact, p.tab = false, true
	case "r", "raw-output":
		p.raw = true
	case "j", "join-output":
		p.raw, p.join = true, true
	case "raw-output0":
		p.raw, p.zero = true, true
	case "a", "ascii-output":
		p.ascii = true
	case "S", "sort-keys":
		p.sortKeys = true
	case "unbuffered":
		p.unbuffered = true
	case "e", "exit-status":
		p.exitStatus = true
	case "f", "from-file":
		p.fromFile = true
	case "h", "help":
		p.help = true
	case "V", "version":
		p.version = true
	case "C", "color-output", "M", "monochrome-output", "b", "binary":
	default:
		return false
	}
	return true
}
