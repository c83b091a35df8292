//go:build unix

package screen

import (
	"os"
	"os/signal"
	"syscall"
)

// Escapes lets a terminal take the sequences that move its cursor: here all do.
func Escapes(*os.File) {}

// Resized calls f when the terminal gets another size, until stop is called.
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
