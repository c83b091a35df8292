//go:build unix

package ptytest

import (
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

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
