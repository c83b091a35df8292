//go:build unix

package serving

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/matryer/is"
)

func TestOnceSignalsAreCaughtTheFirstEndsTheServerAndTheSecondTheProcess(t *testing.T) {
	is := is.New(t)
	said, exited := make(chan error, 1), make(chan int, 1)
	ctx, stop, caught := UntilSignal(func(why error) { said <- why }, func(code int) { exited <- code })
	defer stop(nil)
	<-caught
	is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-ctx.Done()
	is.Equal(context.Cause(ctx).Error(), "signal SIGTERM")
	is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGHUP))
	is.Equal((<-said).Error(), "signal SIGTERM")
	is.Equal(<-exited, 1)
}
