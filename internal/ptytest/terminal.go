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

// Patience is how long a test waits before it fails.
const Patience = time.Minute

// Options describe the terminal of a program. The zero value is one of 80 by 24.
type Options struct {
	Columns, Lines int
	Dir            string
	Env            []string // beside PATH, HOME, TMPDIR and TERM, and before them
}

// A Terminal has a program that runs on it. It is for one goroutine.
type Terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File   // for the state that the program leaves
	before term.State // of the terminal
	news   chan struct{}
	ended  chan struct{} // closed when the program has

	mu       sync.Mutex
	emulator *emulator
	raw      []byte
	screens  []Screen
}

// Start runs a program on a terminal, until the test ends at the latest.
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
		_ = x.cmd.Wait() // the state of the process has it
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

// environment is a short one: what the machine has set must not decide a test.
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

// note keeps a screen that differs from the last one. x.mu is held.
func (x *Terminal) note() {
	now := x.emulator.look()
	if n := len(x.screens); n == 0 || !x.screens[n-1].equal(now) {
		x.screens = append(x.screens, now)
	}
}

// Screen is what is shown now.
func (x *Terminal) Screen() Screen {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emulator.look()
}

// Screens are all that were shown so far.
func (x *Terminal) Screens() []Screen {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.screens)
}

// Raw is what was written so far, with what steers the terminal.
func (x *Terminal) Raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.TrimSuffix(string(x.raw), mark)
}

// mark is what we write when the program has ended: a title of the window, which is not on the
// screen.
const mark = "\x1b]0;ended\a"

// Type writes what a person types. Return is "\r".
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

// Resize gives the terminal another size, and reports that to the program.
func (x *Terminal) Resize(columns, lines int) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.emulator.resize(columns, lines)
	if err := pty.Setsize(x.master, &pty.Winsize{Cols: uint16(columns), Rows: uint16(lines)}); err != nil {
		x.t.Fatal(err)
	}
}

// See waits until a text is on the screen, in one line, and returns the screen. Blanks at its
// end cannot be seen.
func (x *Terminal) See(text string) Screen {
	x.t.Helper()
	text = strings.TrimRight(text, " ")
	return x.Until("the screen shows "+text, func(s Screen) bool { return s.Contains(text) })
}

// Until waits until the screen is as it should be, and returns it.
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
				x.t.Fatalf("waiting until %s: the program has ended; the screen shows:\n%s", what, s)
			}
			return s
		case <-late:
			x.t.Fatalf("waiting until %s; the screen shows:\n%s", what, x.Screen())
		}
	}
}

// Wait waits until the program has ended and all that it wrote is shown. It returns the
// exit code, -1 for a program that a signal has ended.
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

// drain waits until what the program wrote has been read: a mark of ours comes after it.
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

// session makes the terminal that of the program, so that keys become signals.
func session() *syscall.SysProcAttr { return &unix.SysProcAttr{Setsid: true, Setctty: true} }

// Cooked reports whether the terminal is as programs expect it: lines are edited, keys
// become signals, and what is typed is shown.
func (x *Terminal) Cooked() bool {
	x.t.Helper()
	now, err := term.GetState(int(x.tty.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	return *now == x.before
}
