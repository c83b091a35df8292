package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilEnded returns a context that ends with ctx, or when somebody ends the program: by ctrl-c, by a
// request such as that of kill, or by closing its terminal. The program then removes what it has not
// finished, which the system would leave behind. After nohup, it outlives its terminal. more signals may end it, such
// as SIGPIPE, when nobody reads its output any more; then it must not write to other programs, because the system does
// not distinguish which of the readers has closed its end.
func untilEnded(ctx context.Context, more ...os.Signal) (ended context.Context, stop context.CancelFunc) {
	signals := append(more, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}
