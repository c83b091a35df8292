//go:build unix

package script

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// How long a call waits for a shell that has been started just now, and for it to take what
// it is told. Both take microseconds, unless the system has no time for it.
const shellTime = 5 * time.Second

// A Standby is a bash that was started ahead for one run of a script, and waits before it
// opens it. It takes no time of the processor, and ends with the server.
type Standby struct {
	runner  *Runner
	command Command // with Env as of its start
	family  family
	streams *streams
	control *os.File // what it waits for; closed without that, it ends
	seen    []seen   // the script, its interpreter and its folder, as they were
	later   func(name string) bool
	dropped func()
	taken   atomic.Bool
	gone    chan struct{} // closed when it is taken
}

// seen is a file that must not have changed.
type seen struct {
	path string
	info fs.FileInfo
	dir  bool
}

// StartAhead starts the bash that runs the script c.Path, with the file that boot names as BASH_ENV. That
// file has to write one byte to stdout, read shell code from [ControlFD] to its end and run it, close
// the descriptor, and end the shell unless the code sets _mcp_go. Then bash opens the script as always.
// boot are variables that the file takes away again. Variables of c.Env whose names are for
// later are not used: they come with the call, and only they may. The func dropped is called once if the shell ends
// without having been used.
//
// The error is ErrNotAhead, or why bash could not be started.
func (r *Runner) StartAhead(c Command, boot []string, later func(name string) bool, dropped func()) (*Standby, error) {
	head := readHead(c.Path)
	program, name, ok := bashOf(head, c.Env)
	early, plain := beforehand(c.Env, later)
	if !ok || !plain || !filepath.IsAbs(c.Path) || !mayExecute(c.Path) || len(c.Args) > 0 || len(c.ExtraFiles) <= ControlFD-3 {
		return nil, ErrNotAhead
	}
	s := &Standby{runner: r, command: c, later: later, dropped: dropped, gone: make(chan struct{})}
	s.command.Env, s.command.Stdin, s.command.Stdout, s.command.Stderr = early, nil, fresh{}, &fresh{}
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
	if err := s.start(program, name, boot); err != nil {
		r.closing.leave()
		return nil, err
	}
	go s.watch()
	return s, nil
}

// fresh stands for a stream until there is a call.
type fresh struct{ _ byte }

func (fresh) Write(b []byte) (int, error) { return len(b), nil }

func (s *Standby) start(program, name string, boot []string) error {
	wait, control, err := os.Pipe()
	if err != nil {
		return err
	}
	defer wait.Close()
	streams, err := s.runner.connect(s.command)
	if err != nil {
		control.Close()
		return err
	}
	files := slices.Clone(streams.files)
	files[ControlFD] = wait
	attr := os.ProcAttr{Dir: s.command.Dir, Env: append(slices.Clone(s.command.Env), boot...), Files: files}
	if s.runner.Before != nil {
		s.runner.Before()
	}
	f, err := s.runner.start(program, []string{name, s.command.Path}, attr)
	streams.closeChildEnds()
	if err != nil {
		streams.abandon()
		control.Close()
		return err
	}
	if f, ok := f.(sleeper); ok {
		f.sleep(true)
	}
	s.family, s.streams, s.control = f, streams, control
	return nil
}

// A sleeper is a family that is told when it is only there for later.
type sleeper interface{ sleep(yes bool) }

// watch ends the shell with the Runner.
func (s *Standby) watch() {
	select {
	case <-s.gone:
	case <-s.runner.closing.begun():
		s.Dismiss()
	}
}

// Ready waits until the shell waits, and must return nil before the shell is used. The error is
// ErrDied: the shell has ended, or will not be ready in a useful time. It is called once.
func (s *Standby) Ready() error {
	from := s.streams.outputs[0].from
	from.SetReadDeadline(time.Now().Add(shellTime))
	if _, err := from.Read(make([]byte, 1)); err != nil {
		return ErrDied
	}
	return from.SetReadDeadline(time.Time{})
}

// take claims the shell for one use.
func (s *Standby) take() bool {
	if !s.taken.CompareAndSwap(false, true) {
		return false
	}
	close(s.gone)
	return true
}

// Dismiss ends the shell, if it was not used. It does not wait for that.
func (s *Standby) Dismiss() {
	if s.take() {
		s.end()
	}
}

// end ends a shell that is taken.
func (s *Standby) end() {
	s.family.kill()
	s.control.Close()
	s.streams.abandon()
	go func() {
		defer s.runner.closing.leave()
		s.family.wait()
		s.family.end(func() time.Time { return time.Time{} }, func() bool { return false })
		if s.dropped != nil {
			s.dropped()
		}
	}()
}

// wake lets the shell run the command, if it is the one for which it was started and nothing about that has
// changed; else it dismisses the shell, and the error says why.
func (s *Standby) wake(c Command) (*streams, family, error) {
	if s == nil || !s.take() {
		return nil, nil, ErrNotAhead
	}
	if err := s.tell(c); err != nil {
		s.end()
		return nil, nil, err
	}
	if f, ok := s.family.(sleeper); ok {
		f.sleep(false)
	}
	s.runner.closing.leave() // the run counts
	return s.streams, s.family, nil
}

func (s *Standby) tell(c Command) error {
	code, ok := exports(c.Env, s.command.Env, s.later)
	if !ok || c.Path != s.command.Path || c.Dir != s.command.Dir || len(c.Args) > 0 || c.Stdin != nil ||
		!slices.Equal(c.ExtraFiles, s.command.ExtraFiles) || !s.asBefore() {
		return ErrNotAhead
	}
	outputs := []io.Writer{c.Stdout, c.Stderr}
	for i, to := range outputs {
		if _, file := to.(*os.File); file || to == nil || i == 1 && same(to, outputs[0]) {
			return ErrNotAhead
		}
		s.streams.outputs[i].to = to
	}
	if s.runner.Before != nil {
		s.runner.Before()
	}
	s.control.SetWriteDeadline(time.Now().Add(shellTime))
	if _, err := io.WriteString(s.control, code+"_mcp_go=1\n"); err != nil {
		return ErrDied
	}
	s.control.Close()
	return nil
}

// asBefore reports whether the script, its interpreter and its folder are what they were.
func (s *Standby) asBefore() bool {
	for _, f := range s.seen {
		now, err := os.Stat(f.path)
		if err != nil || !os.SameFile(now, f.info) || !f.dir && (now.ModTime() != f.info.ModTime() || now.Mode() != f.info.Mode() || now.Size() != f.info.Size()) {
			return false
		}
	}
	return true
}
