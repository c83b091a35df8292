package script

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// When all processes of a command are gone, so are the writers of its pipes, and the end
// of file comes at once. Somebody else can still hold one open: a process that left the
// group where that is all we can end, or a stranger that got the descriptor through a
// socket. Then reading stops after this time.
const drainTime = 100 * time.Millisecond

// The most that a pipe holds on Linux, unless root raised the limit.
const pipeSize = 1 << 20

// streams are the open files between a command and us.
type streams struct {
	files   []*os.File // the descriptors 0, 1, 2, ... of the command
	inner   []*os.File // those of them that are ours to close: see started
	input   *os.File   // our end of its stdin, or nil
	stdin   io.Reader  // what is copied to input
	outputs []*output
	copying // how the outputs are read; each system has its own way
}

// connect opens the streams of c. A nil stream is the null device, not a pipe that somebody
// would have to empty.
func (r *Runner) connect(c Command) (*streams, error) {
	null, err := r.devNull()
	if err != nil {
		return nil, err
	}
	s := &streams{files: make([]*os.File, 3, 3+len(c.ExtraFiles))}
	s.files = append(s.files, c.ExtraFiles...)
	s.files[0], s.files[1], s.files[2] = null, null, null

	if err := s.prepare(r); err != nil {
		return nil, err
	}
	if err := s.connectInput(c.Stdin); err != nil {
		s.abandon()
		return nil, err
	}
	if err := s.copyAlso(c.Copies); err != nil {
		s.abandon()
		return nil, err
	}
	if err := s.connectOutput(1, "stdout", c.Stdout); err != nil {
		s.abandon()
		return nil, err
	}
	if same(c.Stdout, c.Stderr) {
		s.files[2] = s.files[1]
		return s, nil
	}
	if err := s.connectOutput(2, "stderr", c.Stderr); err != nil {
		s.abandon()
		return nil, err
	}
	return s, nil
}

// copyAlso reads pipes of the caller, too.
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

// devNull opens the null device at the first call. A failure is not kept: it may be for want
// of descriptors.
func (r *Runner) devNull() (*os.File, error) {
	if f := r.null.Load(); f != nil {
		return f, nil
	}
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if !r.null.CompareAndSwap(nil, f) {
		f.Close() // another was quicker
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

// attach adds an output, which is closed with the others whatever becomes of it.
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
		f.Close() // or copying to it would not notice that the command has ended
		return true
	})
}

// closeChildEnds leaves the command's ends of the pipes to the command alone.
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

// copyInput starts to pass on what the command is to read.
func (s *streams) copyInput() {
	if s.input == nil {
		return
	}
	// Nobody waits for this goroutine: it may be in a Read of the caller's that nothing can
	// end. A command that reads only a part is no fault.
	go func() {
		io.Copy(s.input, s.stdin)
		s.input.Close()
	}()
}

// drain passes on what is left of the output, closes the streams, and returns the first error
// of a writer. With all, no process is left that could write more.
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
	s.forget(o)
	if !o.lasting {
		o.from.Close()
	}
}

// A roomy writer can be read into without a copy; see [Head.Room].
type roomy interface {
	Room() []byte
	Took(n int)
}

// An output copies one stream of the command to its writer.
type output struct {
	name    string
	from    source
	to      io.Writer
	err     error // the first that to has returned
	lasting bool  // it is the caller's, and its end does not come

	ended bool // nobody can write to it any more
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

// same reports whether a and b are one writer. Writers of a type that cannot be compared
// are never the same.
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
