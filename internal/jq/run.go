package jq

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/itchyny/gojq"
)

// A runner applies a filter to the inputs and prints the results.
type runner struct {
	*command
	code   *gojq.Code
	vars   *variables
	inputs *inputs

	last   int // exit code that -e makes of the last result
	halted bool
}

// run returns the exit code.
func (c *command) run(code *gojq.Code, vars *variables, inputs *inputs) int {
	r := &runner{command: c, code: code, vars: vars, inputs: inputs, last: exitNoOutput}
	status := r.all()
	switch {
	case r.halted:
		return status
	case inputs.failed:
		return exitUsage
	case status == exitOK && c.options.exitStatus:
		return r.last
	}
	return status
}

// all applies the filter to all inputs. The exit code is that of the last one.
func (r *runner) all() int {
	if r.options.nullInput {
		return r.one(nil)
	}
	status := exitOK
	for !r.halted {
		v, ok := r.inputs.Next()
		if !ok {
			break
		}
		if err, bad := v.(error); bad {
			fmt.Fprintf(r.err, "jq: parse error: %v\n", err)
			return exitFailed
		}
		status = r.one(v)
	}
	return status
}

// one applies the filter to a value.
func (r *runner) one(v any) int {
	results := r.code.Run(v, r.vars.values...)
	for {
		v, ok := results.Next()
		if !ok {
			return exitOK
		}
		err, bad := v.(error)
		if !bad {
			err = r.print(v)
		}
		if err != nil {
			return r.failed(err)
		}
	}
}

// failed reports the error that ended a run.
func (r *runner) failed(err error) int {
	if errors.Is(err, errOutput) {
		r.halted = true
		return exitUsage
	}
	var halt *gojq.HaltError
	if errors.As(err, &halt) {
		r.halted = true
		switch v := halt.Value().(type) {
		case nil:
		case string:
			fmt.Fprint(r.err, v)
		default:
			fmt.Fprintln(r.err, compact(v))
		}
		return halt.ExitCode() & 0xff
	}
	place := r.inputs.place()
	var raised gojq.ValueError
	if !errors.As(err, &raised) {
		fmt.Fprintf(r.err, "jq: error (at %s): %v\n", place, err)
	} else if text, ok := raised.Value().(string); ok {
		fmt.Fprintf(r.err, "jq: error (at %s): %s\n", place, text)
	} else {
		fmt.Fprintf(r.err, "jq: error (at %s) (not a string): %s\n", place, compact(raised.Value()))
	}
	return exitFailed
}

// print writes a result.
func (r *runner) print(v any) error {
	r.last = exitOK
	if v == nil || v == false {
		r.last = exitFalsy
	}
	raw, isText := v.(string)
	var b []byte
	var err error
	switch {
	case isText && r.options.zero && strings.ContainsRune(raw, 0):
		err = errors.New("Cannot dump a string containing NUL with --raw-output0 option")
	case isText && (r.options.raw || r.options.join || r.options.zero) && !r.options.ascii:
		b = []byte(raw)
	default:
		if b, err = r.options.format(v); r.options.seq {
			b = append([]byte{recordSeparator}, b...)
		}
	}
	switch {
	case err != nil:
		return err
	case r.options.zero:
		b = append(b, 0)
	case !r.options.join:
		b = append(b, '\n')
	}
	if _, err := r.out.Write(b); err != nil {
		return errOutput
	}
	if r.options.unbuffered && r.out.Flush() != nil {
		return errOutput
	}
	return nil
}

// errOutput ends all when nobody takes the output. Main, which flushes the rest, reports it.
var errOutput = errors.New("writing output failed")

// isTerminal reports that a stream is a device such as a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
