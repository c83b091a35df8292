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
	stdin   io.Reader   // what the name - stands for; nil: a file of that name
	report  func(error) // of a file that cannot be read; the others still are

	files  []string // still to be opened
	reader *reader  // of the open file, or nil
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
		v, err := in.reader.next()
		if err == nil {
			return v, nil
		}
		if in.reader.in.failedWith(err) {
			in.fail("read", in.filename(), err)
		} else if err != io.EOF {
			return nil, err
		}
		in.close()
	}
	return nil, io.EOF
}

// open makes sure that a file is open, and reports whether there is one.
func (in *inputs) open() bool {
	for in.reader == nil {
		if len(in.files) == 0 {
			return false
		}
		name := in.files[0]
		in.files = in.files[1:]
		if name == "-" && in.stdin != nil {
			in.reader = newReader("", in.stdin, in.options)
			break
		}
		file, err := os.Open(name)
		if err != nil {
			in.fail("open", name, err)
			if looksLikeJSON(name) {
				in.report(errors.New("arguments after the filter are file names; pass a text on stdin, as in printf '%s' '" + name + "' | jq FILTER"))
			}
			continue
		}
		in.reader, in.closer = newReader(name, file, in.options), file
	}
	return true
}

// looksLikeJSON reports whether the name of a file is probably JSON text.
func looksLikeJSON(name string) bool {
	return strings.HasPrefix(name, "{") || strings.HasPrefix(name, "[")
}

func (in *inputs) fail(what string, name any, err error) {
	in.failed = true
	in.report(fmt.Errorf("Could not %s %s: %w", what, name, reason(err)))
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
	in.reader, in.closer = nil, nil
}

// slurp returns all values as an array, or the whole text as a string.
func (in *inputs) slurp() (any, error) {
	if in.options.rawInput {
		return in.slurpText(), nil
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

func (in *inputs) slurpText() string {
	var all strings.Builder
	for in.open() {
		rest, err := in.reader.rest()
		all.WriteString(rest)
		if err != nil {
			in.fail("read", in.filename(), err)
		}
		in.close()
	}
	return all.String()
}

// filename returns the name of the file that is being read, nil if none is.
func (in *inputs) filename() any {
	if in.reader == nil {
		return nil
	}
	return cmp.Or(in.reader.name, "<stdin>")
}

// line returns the number of lines of the file that are read.
func (in *inputs) line() any {
	if in.reader == nil {
		return 0
	}
	return in.reader.line()
}

// place says where the last input came from.
func (in *inputs) place() string {
	if in.reader == nil {
		return "<unknown>"
	}
	return fmt.Sprintf("%s:%d", in.filename(), in.line())
}
