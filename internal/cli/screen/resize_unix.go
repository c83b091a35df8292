//go:build unix

package screen

import (
	"os"
	"os/signal"
	"syscall"
)

// resized calls f when the terminal gets another size, until stop is called.
func resized(f func()) (stop func()) {
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
