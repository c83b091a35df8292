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
	orders   orders
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
