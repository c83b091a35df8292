package jq

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
)

// inputs reads, one at a time, the values that the filter is applied to, and that input and inputs
// return. As an iterator of the library it returns an error for a value that cannot be read.
type inputs struct {
	*command
	opened int     // number of opened files
	reader *reader // of the open file, or nil
	closer io.Closer
	failed bool // a file could not be read; the others still are
	ended  bool
}

// Read reads the standard input. It flushes the output first.
func (c *command) Read(b []byte) (int, error) {
	_ = c.out.Flush()
	return c.in.Read(b)
}

// Next returns the next input, or an error in its place.
func (in *inputs) Next() (v any, ok bool) {
	if in.ended {
		return nil, false
	}
	var err error
	if in.ended = in.slurp; in.slurp {
		v, err = in.all()
	} else {
		v, err = in.next()
	}
	if err == nil {
		return v, true
	}
	in.ended = true
	return err, err != io.EOF
}

// next returns the next value of all files, or io.EOF.
func (in *inputs) next() (any, error) {
	for in.open() {
		v, err := in.reader.next()
		if err == nil {
			return v, nil
		}
		if fault := in.reader.fault(err); fault != nil {
			return nil, fault
		}
		if err != io.EOF {
			in.fail("read", in.filename(), err)
		}
		in.close()
	}
	return nil, io.EOF
}

// open makes sure that a file is open, and reports whether there is one.
func (in *inputs) open() bool {
	files := in.files
	if len(files) == 0 {
		files = []string{"-"}
	}
	for in.reader == nil && in.opened < len(files) {
		name := files[in.opened]
		if in.opened++; name == "-" && in.in != nil {
			in.reader = newReader("", in.command, in.options)
			break
		}
		file, err := os.Open(name)
		if err != nil {
			in.fail("open", name, err)
			if strings.HasPrefix(name, "{") || strings.HasPrefix(name, "[") {
				fmt.Fprintf(in.err, "jq: error: arguments after the filter are file names; pass a text on stdin, as in printf "+
					"'%%s' '%s' | jq FILTER\n", name)
			}
			continue
		}
		in.reader, in.closer = newReader(name, file, in.options), file
	}
	return in.reader != nil
}

func (in *inputs) fail(what string, name any, err error) {
	in.failed = true
	fmt.Fprintf(in.err, "jq: error: Could not %s %s: %v\n", what, name, reason(err))
}

func (in *inputs) close() {
	if in.closer != nil {
		_ = in.closer.Close() // was only read
	}
	in.reader, in.closer = nil, nil
}

// all returns all values as an array, or all lines as one text.
func (in *inputs) all() (any, error) {
	all, text := []any{}, strings.Builder{}
	for {
		v, err := in.next()
		switch {
		case err == io.EOF && in.rawInput:
			return text.String(), nil
		case err == io.EOF:
			return all, nil
		case err != nil:
			return nil, err
		case in.rawInput:
			text.WriteString(v.(string))
		default:
			all = append(all, v)
		}
	}
}

// place returns the file and line of the last input.
func (in *inputs) place() string {
	if in.reader == nil {
		return "<unknown>"
	}
	return fmt.Sprintf("%s:%d", in.filename(), in.reader.line())
}

// filename returns the name of the current file, nil if there is none.
func (in *inputs) filename() any {
	if in.reader == nil {
		return nil
	}
	return cmp.Or(in.reader.name, "<stdin>")
}
