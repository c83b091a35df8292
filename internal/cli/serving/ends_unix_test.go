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
	e := OnSignal(func(code int) { exited <- code })
	defer e.Stop(nil)
	e.BeforeExit(func(why error) { said <- why })
	e.Caught()
	is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-e.Context.Done()
	is.Equal(context.Cause(e.Context).Error(), "signal SIGTERM")
	is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGHUP))
	is.Equal((<-said).Error(), "signal SIGTERM")
	is.Equal(<-exited, 1)
}

func TestASignalEndsTheProcessEvenBeforeThereAreLastWords(t *testing.T) {
	is := is.New(t)
	exited := make(chan int, 1)
	e := OnSignal(func(code int) { exited <- code })
	defer e.Stop(nil)
	e.Caught()
	is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGTERM))
	<-e.Context.Done()
	is.NoErr(syscall.Kill(os.Getpid(), syscall.SIGTERM))
	is.Equal(<-exited, 1)
}
