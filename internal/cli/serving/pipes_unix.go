//go:build unix

package serving

import (
	"os"
	"os/signal"
	"syscall"
)

// closedByReader is the error of writing to a pipe that nobody reads any more.
var closedByReader = []error{syscall.EPIPE}

// ignoreBrokenPipes makes writing to a client that has exited an error instead of
// the end of the process, so that running tools are still terminated. The signal is
// caught rather than ignored: tools would inherit an ignored signal.
func ignoreBrokenPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
