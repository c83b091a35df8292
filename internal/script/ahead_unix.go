//go:build unix

package script

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// shellTime is how long a call waits for a shell that is still starting, and for it to read
// its code. Both take microseconds unless the system is overloaded.
const shellTime = 5 * time.Second

// A Standby is a bash process that was started ahead for one run of a script, and waits before
// it opens the script. It uses no processor time, and ends with the server. Its limits are set
// when it is used.
type Standby struct {
	runner  *Runner
	command Command // with Env as of its start
	family  family
	hold    *hold
	outputs [2]source // its stdout and stderr
	control *os.File  // the shell reads its code from this; it ends if it is closed without code
	seen    []seen    // the script, its interpreter and its folder, as they were
	later   func(name string) bool
	dropped func()
	taken   atomic.Bool
}

// seen is a file whose change makes the shell unusable.
type seen struct {
	path string
	info fs.FileInfo
	dir  bool
}

// StartAhead starts bash for the script c.Path, with the file that boot names as BASH_ENV. That file must
// write one byte to stdout, read shell code from [ControlFD] to its end and run it, close the descriptor, and
// end the shell unless the code sets _mcp_go. Then bash opens the script as usual. boot are variables that
// the file unsets again. Of the variables of c.Env, those for which later returns true may differ in the call.
// The func dropped is called once if the shell ends without having been used.
//
// The error is ErrNotAhead, or why bash could not be started.
func (r *Runner) StartAhead(c Command, boot []string, later func(name string) bool, dropped func()) (*Standby, error) {
	program, name, ok := bashOf(readHead(c.Path), c.Env)
	switch {
	case !ok, slices.ContainsFunc(c.Env, changesBash), !filepath.IsAbs(c.Path), !mayExecute(c.Path), len(c.Args) > 0, len(c.ExtraFiles) <= ControlFD-3:
		return nil, ErrNotAhead
	case c.Confine != nil: // it applies to the thread that starts the process
		return nil, ErrNotAhead
	case r.isTight(): // the shell would take the place of a call
		return nil, ErrNotAhead
	}
	c.Stdin, c.Stdout, c.Stderr, c.Copies = nil, nil, nil, nil
	s := &Standby{runner: r, command: c, later: later, dropped: dropped}
	for _, f := range []seen{{path: c.Path}, {path: program}, {path: c.Dir, dir: true}} {
		var err error
		if f.info, err = os.Stat(f.path); err != nil {
			return nil, ErrNotAhead
		}
		s.seen = append(s.seen, f)
	}
	if !r.closing.enter() {
		return nil, ErrClosed
	}
	c.Path, c.name, c.Args, c.Env = program, name, []string{c.Path}, slices.Concat(c.Env, boot)
	if err := s.start(c); err != nil {
		r.closing.leave()
		return nil, err
	}
	r.closing.add(s)
	return s, nil
}

// start starts the shell.
func (s *Standby) start(c Command) (err error) {
	null, err := s.runner.devNull()
	if err != nil {
		return err
	}
	wait, control, err := os.Pipe()
	if err != nil {
		return err
	}
	defer wait.Close()
	out, stdout, err := newPipe()
	if err != nil {
		control.Close()
		return err
	}
	defer stdout.Close()
	errs, stderr, err := newPipe()
	if err != nil {
		control.Close()
		out.Close()
		return err
	}
	defer stderr.Close()
	s.control, s.outputs = control, [2]source{out, errs}

	files := append([]*os.File{null, stdout, stderr}, c.ExtraFiles...)
	files[ControlFD] = wait
	if s.hold, err = s.runner.hold(context.Background(), c); err != nil {
		s.closeEnds()
		return err
	}
	s.hold.ahead = true
	if s.family, err = s.runner.launch(c, files, s.hold); err != nil {
		s.hold.release()
		s.closeEnds()
		return err
	}
	if f, ok := s.family.(sleeper); ok {
		f.sleep(true)
	}
	return nil
}

// closeEnds closes the server's ends of the pipes.
func (s *Standby) closeEnds() {
	s.control.Close()
	for _, o := range s.outputs {
		o.Close()
	}
}

// A sleeper is a family that can be marked as waiting for a call.
type sleeper interface{ sleep(yes bool) }

// requestEnd ends the shell when the Runner is closed.
func (s *Standby) requestEnd(time.Time) { s.Dismiss() }

// Ready waits until the shell is ready for its code. It must be called once, and return nil,
// before the shell is used. The error is ErrDied: the shell has ended, or is not ready in a
// reasonable time.
func (s *Standby) Ready() error {
	if !readByte(s.outputs[0], shellTime) {
		return ErrDied
	}
	return nil
}

// take claims the shell for one use.
func (s *Standby) take() bool {
	if !s.taken.CompareAndSwap(false, true) {
		return false
	}
	s.runner.closing.remove(s)
	return true
}

// Dismiss ends the shell if it was not used. It does not wait until the shell has ended.
func (s *Standby) Dismiss() {
	if s.take() {
		s.closeEnds()
		s.end()
	}
}

// end ends a shell whose pipes are closed.
func (s *Standby) end() {
	s.family.kill()
	go func() {
		defer s.runner.closing.leave()
		s.family.wait()
		s.family.end(func() time.Time { return time.Time{} }, noStreams)
		s.hold.release()
		if s.dropped != nil {
			s.dropped()
		}
	}()
}

// wake makes the shell run the command, if that is the one for which it was started and nothing has changed
// since. Otherwise it dismisses the shell and returns an error.
func (s *Standby) wake(c Command) (*begun, error) {
	if s == nil || !s.take() {
		return nil, ErrNotAhead
	}
	code, ok := s.fits(c)
	if !ok {
		s.closeEnds()
		s.end()
		return nil, ErrNotAhead
	}
	at := time.Now()
	streams, err := s.connect(c)
	if err == nil {
		if err = s.hold.limit(s.family.process().Pid); err == nil {
			err = s.send(code)
		}
		if err != nil {
			streams.abandon()
		}
	}
	s.control.Close()
	if err != nil {
		s.end()
		return nil, err
	}
	if f, ok := s.family.(sleeper); ok {
		f.sleep(false)
	}
	s.runner.closing.leave() // the run has a count of its own
	return &begun{streams, s.hold, s.family, at}, nil
}

// fits returns the shell code that makes the shell run c, if it can.
func (s *Standby) fits(c Command) (code string, ok bool) {
	code, ok = exportCode(c.Env, s.command.Env, s.later)
	if !ok || c.Path != s.command.Path || c.Dir != s.command.Dir || len(c.Args) > 0 || c.Stdin != nil || c.Confine != nil ||
		c.Limits != s.command.Limits || !slices.Equal(c.ExtraFiles, s.command.ExtraFiles) || !s.unchanged() {
		return "", false
	}
	for _, to := range []io.Writer{c.Stdout, c.Stderr} {
		if _, file := to.(*os.File); file || to == nil {
			return "", false
		}
	}
	return code + "_mcp_go=1\n", !same(c.Stdout, c.Stderr)
}

// connect builds the streams of the run from the server's ends of the pipes, and closes these if it fails.
func (s *Standby) connect(c Command) (*streams, error) {
	var st streams
	if err := st.prepare(s.runner); err != nil {
		for _, o := range s.outputs {
			o.Close()
		}
		return nil, err
	}
	err := errors.Join(
		st.copyAlso(c.Copies),
		st.attach(&output{name: "stdout", from: s.outputs[0], to: c.Stdout}),
		st.attach(&output{name: "stderr", from: s.outputs[1], to: c.Stderr}),
	)
	if err != nil {
		st.abandon()
		return nil, err
	}
	return &st, nil
}

// send sends the code to the shell.
func (s *Standby) send(code string) error {
	if s.runner.Before != nil {
		s.runner.Before()
	}
	s.control.SetWriteDeadline(time.Now().Add(shellTime))
	if _, err := io.WriteString(s.control, code); err != nil {
		return ErrDied
	}
	return nil
}

// unchanged reports whether the script, its interpreter and its folder are unchanged.
func (s *Standby) unchanged() bool {
	for _, f := range s.seen {
		now, err := os.Stat(f.path)
		if err != nil || !os.SameFile(now, f.info) || !f.dir && (now.ModTime() != f.info.ModTime() || now.Mode() != f.info.Mode() || now.Size() != f.info.Size()) {
			return false
		}
	}
	return true
}
