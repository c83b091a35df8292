package screen

import (
	"os"

	"golang.org/x/sys/windows"
)

// Escapes enables escape sequences on a terminal.
func Escapes(out *os.File) {
	var mode uint32
	if console := windows.Handle(out.Fd()); windows.GetConsoleMode(console, &mode) == nil {
		_ = windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) // older ones cannot
	}
}

// Resized does nothing: Windows sends no signal.
func Resized(func()) (stop func()) { return func() {} }
