package jq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// run applies the filter to the inputs, prints the results and returns the exit code.
func (c *command) run() int {
	status := exitOK
	if c.nullInput {
		status = c.apply(nil)
	}
	for !c.nullInput && !c.halted {
		v, ok := c.inputs.Next()
		if !ok {
			break
		}
		if err, bad := v.(error); bad {
			fmt.Fprintf(c.err, "jq: parse error: %v\n", err)
			status = exitFailed
			break
		}
		status = c.apply(v)
	}
	switch {
	case c.halted:
		return status
	case c.inputs.failed:
		return exitUsage
	case status == exitOK && c.exitStatus:
		return c.last
	}
	return status
}

// apply applies the filter to a value.
func (c *command) apply(v any) int {
	for results := c.code.Run(v, c.values...); ; {
		v, ok := results.Next()
		if !ok {
			return exitOK
		}
		err, bad := v.(error)
		if !bad {
			err = c.print(v)
		}
		if err != nil {
			return c.failed(err)
		}
	}
}

// failed prints the error that ended a run.
func (c *command) failed(err error) int {
	if errors.Is(err, errOutput) {
		c.halted = true
		return exitUsage
	}
	if halt, ok := errors.AsType[*gojq.HaltError](err); ok {
		c.halted = true
		if v, isText := halt.Value().(string); isText {
			fmt.Fprint(c.err, v)
		} else if halt.Value() != nil {
			fmt.Fprintln(c.err, compact(halt.Value()))
		}
		return halt.ExitCode() & 0xff
	}
	message, kind := err.Error(), ""
	if raised, ok := errors.AsType[gojq.ValueError](err); ok {
		message = text(raised.Value())
		if _, ok := raised.Value().(string); !ok {
			kind = " (not a string)"
		}
	}
	fmt.Fprintf(c.err, "jq: error (at %s)%s: %s\n", c.inputs.place(), kind, message)
	return exitFailed
}

// print writes a result.
func (c *command) print(v any) error {
	if c.last = exitOK; v == nil || v == false {
		c.last = exitFalsy
	}
	raw, isText := v.(string)
	var b []byte
	var err error
	switch {
	case isText && c.zero && strings.ContainsRune(raw, 0):
		err = errors.New("Cannot dump a string containing NUL with --raw-output0 option")
	case isText && c.raw && !c.ascii:
		b = []byte(raw)
	default:
		if b, err = c.format(v); c.seq {
			b = append([]byte{recordSeparator}, b...)
		}
	}
	switch {
	case err != nil:
		return err
	case c.zero:
		b = append(b, 0)
	case !c.join:
		b = append(b, '\n')
	}
	_, err = c.out.Write(b)
	if err == nil && c.unbuffered {
		err = c.out.Flush()
	}
	if err != nil {
		return errOutput
	}
	return nil
}

// errOutput ends the run when the output cannot be written. Main, which flushes the rest, reports it.
var errOutput = errors.New("writing output failed")
