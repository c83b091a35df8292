package screen

import (
	"os"

	"golang.org/x/term"
)

// Keys makes a terminal deliver keys as they are pressed, without echo, until restore is called.
// Those that would be signals are keys too: [CtrlC] is one.
func Keys(in *os.File) (keys <-chan byte, restore func(), err error) {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, nil, err
	}
	pressed := make(chan byte)
	go func() {
		defer close(pressed)
		b := make([]byte, 1)
		for {
			if n, err := in.Read(b); n == 0 || err != nil {
				return
			}
			pressed <- b[0]
		}
	}()
	return pressed, func() { _ = term.Restore(fd, before) }, nil // fails if the terminal is closed
}
