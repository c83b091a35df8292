// Package jq is jq: the command, for scripts on machines without it, and its language,
// which the rest of this program speaks too ([Compile]).
//
// The language is that of the library gojq, a jq written in Go, with a few functions that
// it leaves out. It differs from jq's in this:
//
//   - The keys of objects are sorted, in all output and wherever a filter sees them.
//   - Regular expressions are RE2, which are matched in linear time: no lookaround, no back
//     references, and of the flags only g, i and m.
//   - Integers are exact at any size, also in arithmetic. A number that is passed through
//     keeps its text: 1.0 stays 1.0, 1e2 stays 1e2.
//   - .[2] of a string is its third character, where jq raises an error.
//   - $__loc__, @base32 and @base32d do not exist.
//   - The texts of error messages, which try ... catch can see.
//   - To add keys to an object one by one takes a copy of it each time: with 10,000 keys,
//     seconds. from_entries, with_entries, add and INDEX take one copy in all.
//
// The command line follows jq 1.7.1: the same options, output and exit codes, but:
//
//   - No colours: -C is accepted and has no effect.
//   - Each file is read on its own: two files are never joined to one JSON text or line.
//   - The input is JSON to the letter: no NaN, no numbers such as 01 and .5.
//
// A test compares it with the jq on PATH if that is 1.6, and lists what differs.
package jq

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Version is what --version prints. Scripts look for the number after the dash.
const Version = "jq-1.7.1-mcp-bash"

// The exit codes of jq.
const (
	exitOK       = 0
	exitFalsy    = 1 // -e, and the last output was false or null
	exitUsage    = 2 // bad arguments, or a file that could not be read or written
	exitCompile  = 3
	exitNoOutput = 4 // -e, and there was no output
	exitFailed   = 5 // the filter raised an error, or the input is not JSON
)

// Main runs jq with args, which do not include the name of the program, and returns its
// exit code: 0, or 1 and 4 with -e (last output false or null, no output), 2 for bad
// arguments and files that cannot be read, 3 for a filter that does not compile, 5 for
// errors of the filter and for input that is not JSON.
//
// in, out and err stand for the standard streams; what is ready is written to out before
// more is read from in. environ, as "name=value", is what $ENV and env see. Files named
// in args are opened by Main; a relative name is relative to the working directory.
func Main(args []string, in io.Reader, out, err io.Writer, environ []string) int {
	c := &command{in: in, out: bufio.NewWriterSize(out, 1<<16), err: err, environ: environ}
	c.terminal = isTerminal(in) && isTerminal(out)
	code := c.main(args)
	if e := c.out.Flush(); e != nil {
		fmt.Fprintf(err, "jq: error: writing output failed: %v\n", e)
		return exitUsage
	}
	return code
}

// A command is one run of jq.
type command struct {
	options  *options
	in       io.Reader
	out      *bufio.Writer
	err      io.Writer
	terminal bool // in and out are a terminal
	environ  []string
}

func (c *command) main(args []string) int {
	o, err := parseOptions(args)
	if err != nil {
		fmt.Fprintf(c.err, "jq: %v\nUse jq --help for help with command-line options\n", err)
		return exitUsage
	}
	c.options = o
	switch {
	case o.help:
		fmt.Fprint(c.out, usage)
		return exitOK
	case o.version:
		fmt.Fprintln(c.out, Version)
		return exitOK
	case !o.hasFilter && c.terminal:
		fmt.Fprint(c.err, usage)
		return exitUsage
	}
	vars, err := c.bind()
	if err != nil {
		fmt.Fprintf(c.err, "jq: %v\n", err)
		return exitUsage
	}
	inputs := c.inputs()
	defer inputs.close()
	code, err := c.compile(vars, inputs)
	if err != nil {
		var bad *compileError
		if !errors.As(err, &bad) {
			fmt.Fprintf(c.err, "jq: error: %v\n", err)
			return exitUsage
		}
		fmt.Fprintf(c.err, "jq: error: %v\njq: 1 compile error\n", err)
		return exitCompile
	}
	return c.run(code, vars, inputs)
}
