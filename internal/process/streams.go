package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// drainTime is how long the rest of the output is read when the command has ended. When all
// of its processes are gone, no writer is left, and the end of file comes at once. But
// another process can hold a pipe open: one that left the group on a system where only the
// group can be ended, or one that got the descriptor through a socket.
const drainTime = 100 * time.Millisecond

// pipeSize is the most that a pipe holds on Linux, unless root raised the limit.
const pipeSize = 1 << 20

// A buffer is for what is read from a pipe at once, at most its usual capacity.
type buffer [64 << 10]byte

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// streams are the open files between a command and the server.
type streams struct {
	files   []*os.File // the descriptors 0, 1, 2, ... of the command
	inner   []*os.File // those of files that started closes
	input   *os.File   // the server's end of its stdin, or nil
	stdin   io.Reader  // what is copied to input
	outputs []*output
	copying // how the outputs are read; each system has its own way
}

// connect opens the streams of c. A nil stream becomes the null device, which needs no reader.
func (r *Runner) connect(c Command) (*streams, error) {
	null, err := r.devNull()
	if err != nil {
		return nil, err
	}
	s := &streams{files: make([]*os.File, 3, 3+len(c.ExtraFiles))}
	s.files = append(s.files, c.ExtraFiles...)
	s.files[0], s.files[1], s.files[2] = null, null, null

	if err := s.prepare(); err != nil {
		return nil, err
	}
	err = s.connectInput(c.Stdin)
	if err == nil {
		err = s.copyAlso(c.Copies)
	}
	if err == nil {
		err = s.connectOutput(1, "stdout", c.Stdout)
	}
	switch {
	case err != nil:
	case same(c.Stdout, c.Stderr):
		s.files[2] = s.files[1]
	default:
		err = s.connectOutput(2, "stderr", c.Stderr)
	}
	if err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

// copyAlso adds pipes of the caller to those that are read.
func (s *streams) copyAlso(pipes []Copy) error {
	for _, h := range pipes {
		from, err := sourceOf(h.From)
		if err != nil {
			return err
		}
		if err := s.attach(&output{name: h.From.Name(), from: from, to: h.To, lasting: true}); err != nil {
			return err
		}
	}
	return nil
}

// devNull returns the null device, which it opens at the first call. A failure is not
// remembered, since it may be a temporary lack of descriptors.
func (r *Runner) devNull() (*os.File, error) {
	if f := r.null.Load(); f != nil {
		return f, nil
	}
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if !r.null.CompareAndSwap(nil, f) {
		f.Close() // another goroutine was faster
	}
	return r.null.Load(), nil
}

func (s *streams) connectInput(in io.Reader) error {
	switch in := in.(type) {
	case nil:
		return nil
	case *os.File:
		s.files[0] = in
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.files[0], s.inner = r, append(s.inner, r)
	s.input, s.stdin = w, in
	return nil
}

func (s *streams) connectOutput(fd int, name string, to io.Writer) error {
	switch to := to.(type) {
	case nil:
		return nil
	case *os.File:
		s.files[fd] = to
		return nil
	}
	r, w, err := newPipe()
	if err != nil {
		return err
	}
	s.files[fd], s.inner = w, append(s.inner, w)
	return s.attach(&output{name: name, from: r, to: to})
}

// attach adds an output. It is closed with the others, even after an error.
func (s *streams) attach(o *output) error {
	s.outputs = append(s.outputs, o)
	return s.watch(o)
}

// started is called when the command has its ends of the pipes, or has failed to start.
func (s *streams) started() {
	if !holdsPipes {
		s.closeChildEnds()
		return
	}
	s.inner = slices.DeleteFunc(s.inner, func(f *os.File) bool {
		if f != s.files[0] {
			return false
		}
		f.Close() // otherwise copyInput would not notice that the command has ended
		return true
	})
}

// closeChildEnds closes the server's copies of the command's ends of the pipes.
func (s *streams) closeChildEnds() {
	for _, f := range s.inner {
		f.Close()
	}
	s.inner = nil
}

// abandon closes everything of a command that never started.
func (s *streams) abandon() {
	s.closeChildEnds()
	if s.input != nil {
		s.input.Close()
	}
	for _, o := range s.outputs {
		s.close(o)
	}
	s.release()
}

// copyInput starts copying Stdin to the command.
func (s *streams) copyInput() {
	if s.input == nil {
		return
	}
	// This goroutine is not waited for: it may be in a Read of the caller that cannot be
	// interrupted. It is not an error if the command reads only a part.
	go func() {
		io.Copy(s.input, s.stdin)
		s.input.Close()
	}()
}

// drain copies the rest of the output, closes the streams, and returns the first error of a
// writer. With all, no process is left that could write more.
func (s *streams) drain(all bool) error {
	if s.input != nil {
		s.input.Close()
	}
	s.copyRest(all)
	var errs []error
	for _, o := range s.outputs {
		s.close(o)
		if o.err != nil {
			errs = append(errs, fmt.Errorf("write %s: %w", o.name, o.err))
		}
	}
	s.release()
	return errors.Join(errs...)
}

// close ends an output.
func (s *streams) close(o *output) {
	if !o.lasting {
		o.from.Close()
	}
}

// An output copies one stream of the command to its writer.
type output struct {
	name    string
	from    source
	to      io.Writer
	err     error // the first error that to has returned
	lasting bool  // the pipe belongs to the caller, and its end of file does not come

	ended bool // no process can write to it any more
}

func (o *output) write(b []byte) {
	if len(b) == 0 || o.err != nil {
		return
	}
	if n, err := o.to.Write(b); err != nil {
		o.err = err
	} else if n != len(b) {
		o.err = io.ErrShortWrite
	}
}

// same reports whether a and b are the same writer. Writers of a type that cannot be
// compared never are.
func same(a, b io.Writer) (same bool) {
	if a == nil || b == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}
