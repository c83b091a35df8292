package main

import (
	"io"
	"os"
)

// writer returns a writer for what people read. If stdout cannot be written, the program says so, once,
// and ends with exit code 1: otherwise a script would use an empty file.
func (p program) writer(f *os.File) io.Writer {
	if f != p.out {
		return f
	}
	return &output{f, func(err error) {
		p.unwritten.Do(func() {
			p.complain("%v", err)
			p.exit(1)
		})
	}}
}

// output passes the errors of its writes to failed, which reports them.
type output struct {
	file   *os.File
	failed func(error)
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil {
		o.failed(err)
		err = reportedError{err}
	}
	return n, err
}
