//go:build unix

package screen

import (
	"os"
	"os/signal"
	"syscall"
)

// Escapes enables escape sequences on a terminal: on Unix they always are.
func Escapes(*os.File) {}

// Resized calls f when the size of the terminal changes, until stop is called.
func Resized(f func()) (stop func()) {
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	go func() {
		for range sizes {
			f()
		}
	}()
	return func() {
		signal.Stop(sizes)
		close(sizes)
	}
}
