package jq

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// inputs are the values that the filter is applied to, and that input and inputs return:
// read one at a time, from the standard input or from one file after the other. It is an
// iterator of the library: an error stands for the value that could not be read.
type inputs struct {
	options *options
	orders  *orders
	stdin   io.Reader
	report  func(error) // of a file that cannot be read; the others still are

	files  []string // still to be opened
	parser *parser  // of the open file, or nil
	closer io.Closer
	failed bool // a file could not be read
	ended  bool
}

func (c *command) inputs() *inputs {
	files := c.options.files
	if len(files) == 0 {
		files = []string{"-"}
	}
	return &inputs{
		options: c.options,
		orders:  &c.orders,
		stdin:   readAfter{c.in, func() { _ = c.out.Flush() }},
		report:  func(err error) { fmt.Fprintf(c.err, "jq: error: %v\n", err) },
		files:   files,
	}
}

// readAfter does something before each read.
type readAfter struct {
	io.Reader
	before func()
}

func (r readAfter) Read(b []byte) (int, error) {
	r.before()
	return r.Reader.Read(b)
}

// Next returns the next input, or an error in its place.
func (in *inputs) Next() (any, bool) {
	if in.ended {
		return nil, false
	}
	var v any
	var err error
	if in.options.slurp {
		in.ended = true
		v, err = in.slurp()
	} else {
		v, err = in.next()
	}
	switch {
	case err == io.EOF:
		in.ended = true
		return nil, false
	case err != nil:
		in.ended = true
		return err, true
	}
	return v, true
}

// next returns the next value of all files, or io.EOF.
func (in *inputs) next() (any, error) {
	for in.open() {
		v, err := in.read()
		if err == nil {
			return v, nil
		}
		if e := in.parser.failed(); e != nil {
			in.fail(fmt.Errorf("Could not read %s: %w", in.filename(), reason(e)))
		} else if err != io.EOF {
			return nil, err
		}
		in.close()
	}
	return nil, io.EOF
}

func (in *inputs) read() (any, error) {
	switch {
	case in.options.rawInput:
		return in.parser.rawLine()
	case in.options.stream:
		return in.parser.event()
	}
	return in.parser.value()
}

// open makes sure that a file is open, and reports whether there is one.
func (in *inputs) open() bool {
	for in.parser == nil {
		if len(in.files) == 0 {
			return false
		}
		name := in.files[0]
		in.files = in.files[1:]
		r := in.stdin
		if name != "-" {
			file, err := os.Open(name)
			if err != nil {
				in.fail(fmt.Errorf("Could not open %s: %w", name, reason(err)))
				continue
			}
			r, in.closer = file, file
		} else {
			name = ""
		}
		in.parser = &parser{source: newSource(name, r), orders: in.orders, seq: in.options.seq}
	}
	return true
}

func (in *inputs) fail(err error) {
	in.failed = true
	in.report(err)
}

// reason is what went wrong with a file, without its name.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (in *inputs) close() {
	if in.closer != nil {
		_ = in.closer.Close() // only read from
	}
	in.parser, in.closer = nil, nil
}

// slurp returns all values as an array, or the whole text as a string.
func (in *inputs) slurp() (any, error) {
	if in.options.rawInput {
		return in.slurpText()
	}
	all := []any{}
	for {
		v, err := in.next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
}

func (in *inputs) slurpText() (any, error) {
	var text strings.Builder
	for in.open() {
		if _, err := io.Copy(&text, in.parser.r); err != nil {
			in.fail(fmt.Errorf("Could not read %s: %w", in.filename(), reason(err)))
		}
		in.close()
	}
	return validUTF8([]byte(text.String())), nil
}

// filename returns the name of the file that is being read, "" if none is.
func (in *inputs) filename() string {
	if in.parser == nil {
		return ""
	}
	return cmp.Or(in.parser.name, "<stdin>")
}

// line returns the number of lines of the file that are read.
func (in *inputs) line() int {
	if in.parser == nil {
		return 0
	}
	return in.parser.line()
}

// place says where the last input came from.
func (in *inputs) place() string {
	if in.parser == nil {
		return "<unknown>"
	}
	return fmt.Sprintf("%s:%d", in.filename(), in.line())
}
