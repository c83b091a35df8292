//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipes makes writing to a client that is gone an error instead of
// the end of the process, so that running tools are still ended. The signal is
// caught rather than ignored: tools inherit what is ignored.
func ignoreBrokenPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
