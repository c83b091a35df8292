// Package jq implements jq: the command, for scripts on machines without it, and its
// language, which the rest of this program uses too ([Compile]).
//
// The language is that of the library gojq, a jq written in Go, with a few functions that
// the library lacks. It differs from jq's:
//
//   - The keys of objects are sorted, in all output and wherever a filter sees them.
//   - Regular expressions are RE2, which are matched in linear time: no lookaround, no back
//     references, and of the flags only g, i and m.
//   - Integers are exact at any size, also in arithmetic. A number that is passed through
//     keeps its text: 1.0 stays 1.0, 1e2 stays 1e2.
//   - .[2] of a string is its third character, where jq raises an error.
//   - $__loc__, @base32 and @base32d do not exist, and error messages have other texts.
//   - Adding keys to an object one by one copies it each time: with 10,000 keys this takes
//     seconds. from_entries, with_entries, add and INDEX copy it once.
//
// The command line follows jq 1.7.1, with the same options, output and exit codes, except:
//
//   - No colours: -C is accepted and has no effect.
//   - Each file is read separately: two files are never joined to one JSON text or line.
//   - The input is strictly JSON: no NaN, no numbers such as 01 and .5.
//   - --stream reads a value to its end before it returns the first event.
//
// A test compares it with the jq on PATH if that is 1.6, and lists the differences.
package jq

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/itchyny/gojq"
	"golang.org/x/term"
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

// Main runs jq with args, which do not include the name of the program, and returns jq's
// exit code. Output is flushed to out before more is read from in. $ENV and env are environ,
// as "name=value".
func Main(args []string, in io.Reader, out, err io.Writer, environ []string) int {
	c := &command{in: in, out: bufio.NewWriterSize(out, 1<<16), err: err, environ: environ, last: exitNoOutput}
	code := c.main(args, isTerminal(in) && isTerminal(out))
	if e := c.out.Flush(); e != nil {
		fmt.Fprintf(err, "jq: error: writing output failed: %v\n", e)
		return exitUsage
	}
	return code
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// A command is a run of jq.
type command struct {
	*options
	in      io.Reader
	out     *bufio.Writer
	err     io.Writer
	environ []string

	variables []string // names of the filter's variables, with $
	values    []any    // of the variables
	inputs    inputs
	code      *gojq.Code

	last   int  // exit code of -e for the last result
	halted bool // by the filter, or because the output cannot be written
}

func (c *command) main(args []string, interactive bool) int {
	var err error
	if c.options, err = parseOptions(args); err != nil {
		fmt.Fprintf(c.err, "jq: %v\nUse jq --help for help with command-line options\n", err)
		return exitUsage
	}
	switch {
	case c.help:
		fmt.Fprint(c.out, usage)
		return exitOK
	case c.version:
		fmt.Fprintln(c.out, Version)
		return exitOK
	case !c.hasFilter && interactive:
		fmt.Fprint(c.err, usage)
		return exitUsage
	}
	if err = c.bind(); err != nil {
		fmt.Fprintf(c.err, "jq: %v\n", err)
		return exitUsage
	}
	c.inputs.command = c
	defer c.inputs.close()
	if code := c.compile(); code != exitOK {
		return code
	}
	return c.run()
}
