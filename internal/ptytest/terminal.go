//go:build unix

package ptytest

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Patience is the time after which a waiting test fails.
const Patience = time.Minute

// Options describe the terminal of a program. The zero value is a terminal of 80 by 24.
type Options struct {
	Columns, Lines int
	Dir            string
	Env            []string // in addition to PATH, HOME, TMPDIR and TERM, which it overrides
}

// A Terminal runs a program. It must be used by one goroutine.
type Terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File   // to read the terminal's state
	before term.State // of the terminal
	news   chan struct{}
	ended  chan struct{} // closed when the program has ended

	mu       sync.Mutex
	emulator *emulator
	raw      []byte
	screens  []Screen
}

// Start starts a program on a terminal. It is killed at the end of the test.
func Start(t testing.TB, o Options, argv ...string) *Terminal {
	t.Helper()
	if o.Columns == 0 {
		o.Columns = 80
	}
	if o.Lines == 0 {
		o.Lines = 24
	}
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(o.Columns), Rows: uint16(o.Lines)}); err != nil {
		t.Fatal(err)
	}
	x := &Terminal{t: t, master: master, tty: tty, news: make(chan struct{}, 1), ended: make(chan struct{})}
	state, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	x.before = *state
	x.emulator = newEmulator(o.Columns, o.Lines, func(b []byte) { _, _ = master.Write(b) })
	x.cmd = exec.Command(argv[0], argv[1:]...)
	x.cmd.Dir = o.Dir
	x.cmd.Env = environment(o.Env)
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = tty, tty, tty
	x.cmd.SysProcAttr = session()
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		x.read()
	}()
	go func() {
		defer close(x.ended)
		_ = x.cmd.Wait() // the result is in ProcessState
	}()
	t.Cleanup(func() {
		_ = x.cmd.Process.Kill() // it may have ended
		tty.Close()
		master.Close()
		<-read
		x.emulator.stop()
	})
	return x
}

// environment returns a minimal environment: a test must not depend on the machine's variables.
func environment(first []string) []string {
	env := slices.Clone(first)
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCOVERDIR"} {
		if value, set := os.LookupEnv(name); set && !sets(env, name) {
			env = append(env, name+"="+value)
		}
	}
	if !sets(env, "TERM") {
		env = append(env, "TERM=xterm-256color")
	}
	if !sets(env, "LC_ALL") {
		env = append(env, "LC_ALL=C.UTF-8")
	}
	return env
}

func sets(env []string, name string) bool {
	return slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

func (x *Terminal) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := x.master.Read(b)
		x.mu.Lock()
		x.raw = append(x.raw, b[:n]...)
		x.emulator.write(b[:n], x.note)
		x.mu.Unlock()
		select {
		case x.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// note records the screen if it differs from the last one. x.mu is held.
func (x *Terminal) note() {
	now := x.emulator.look()
	if n := len(x.screens); n == 0 || !x.screens[n-1].equal(now) {
		x.screens = append(x.screens, now)
	}
}

// Screen returns the current screen.
func (x *Terminal) Screen() Screen {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emulator.look()
}

// Screens returns all screens so far.
func (x *Terminal) Screens() []Screen {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.screens)
}

// Raw returns the output so far, with its control sequences.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.TrimSuffix(string(x.raw), mark)
}

// mark is written when the program has ended: a window title, which does not show on the screen.
const mark = "\x1b]0;ended\a"

// Type writes keys as a person types them. Return is "\r".
func (x *Terminal) Type(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.master, keys); err != nil {
		x.t.Fatal(err)
	}
}

// Keys that are not letters.
const (
	Return = "\r"
	Tab    = "\t"
	CtrlC  = "\x03"
	CtrlD  = "\x04"
	Up     = "\x1b[A"
)

// Resize changes the terminal's size, and signals that to the program.
func (x *Terminal) Resize(columns, lines int) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.emulator.resize(columns, lines)
	if err := pty.Setsize(x.master, &pty.Winsize{Cols: uint16(columns), Rows: uint16(lines)}); err != nil {
		x.t.Fatal(err)
	}
}

// See waits until a text is on the screen, within one line, and returns the screen. Trailing blanks
// of the text are never found.
func (x *Terminal) See(text string) Screen {
	x.t.Helper()
	text = strings.TrimRight(text, " ")
	return x.Until("the screen shows "+text, func(s Screen) bool { return s.Contains(text) })
}

// Until waits until a condition holds for the screen, and returns the screen.
func (x *Terminal) Until(what string, is func(Screen) bool) Screen {
	x.t.Helper()
	late := time.After(Patience)
	for {
		if s := x.Screen(); is(s) {
			return s
		}
		select {
		case <-x.news:
		case <-x.ended:
			x.drain()
			s := x.Screen()
			if !is(s) {
				x.t.Fatalf("waiting until %s: the program has ended (%v); the screen shows:\n%s", what, x.cmd.ProcessState, s)
			}
			return s
		case <-late:
			x.t.Fatalf("waiting until %s; the screen shows:\n%s", what, x.Screen())
		}
	}
}

// Wait waits until the program has ended and all its output is shown. It returns the exit code, -1
// if a signal has ended the program.
func (x *Terminal) Wait() (code int) {
	x.t.Helper()
	select {
	case <-x.ended:
	case <-time.After(Patience):
		x.t.Fatalf("the program does not end; the screen shows:\n%s", x.Screen())
	}
	x.drain()
	return x.cmd.ProcessState.ExitCode()
}

// Signal sends the program a signal.
func (x *Terminal) Signal(s os.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}

// drain waits until the program's output has been read, by writing mark after it.
func (x *Terminal) drain() {
	x.t.Helper()
	if x.drained() {
		return
	}
	if _, err := io.WriteString(x.tty, mark); err != nil {
		x.t.Fatal(err)
	}
	late := time.After(Patience)
	for !x.drained() {
		select {
		case <-x.news:
		case <-late:
			x.t.Fatal("the terminal does not return what was written to it")
		}
	}
}

func (x *Terminal) drained() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return bytes.HasSuffix(x.raw, []byte(mark))
}

// session makes the terminal the program's controlling terminal, so that keys become signals.
func session() *syscall.SysProcAttr { return &unix.SysProcAttr{Setsid: true, Setctty: true} }

// Cooked reports whether the terminal is in cooked mode: lines are edited, keys become signals, and
// input is echoed.
func (x *Terminal) Cooked() bool {
	x.t.Helper()
	now, err := term.GetState(int(x.tty.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	return *now == x.before
}
