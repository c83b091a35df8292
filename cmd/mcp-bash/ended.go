package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilEnded returns a context that ends with ctx, or when somebody ends the program: by ctrl-c, by a
// request such as that of kill, or by closing its terminal. The program then removes what it has not
// finished, which the system would leave behind. After nohup, it outlives its terminal.
func untilEnded(ctx context.Context) (ended context.Context, stop context.CancelFunc) {
	return untilSignal(ctx)
}

// untilEndedOrUnread is [untilEnded] for a command that has something to remove also if nobody reads its
// output any more. The command must not write to other programs, because the system does not distinguish
// which of the readers has closed its end.
func untilEndedOrUnread(ctx context.Context) (ended context.Context, stop context.CancelFunc) {
	return untilSignal(ctx, syscall.SIGPIPE)
}

func untilSignal(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	signals = append(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signal.NotifyContext(ctx, signals...)
}
