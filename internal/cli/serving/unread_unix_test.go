//go:build unix

package serving

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestAPipeThatNobodyReadsIsNoticedWhileNothingIsWritten(t *testing.T) {
	is := is.New(t)
	r, w, err := os.Pipe()
	is.NoErr(err)
	defer w.Close()
	unread := make(chan struct{})
	stop := WhenUnread(w, func() { close(unread) })
	defer stop()
	select {
	case <-unread:
		t.Fatal("a pipe with a reader is said to have none")
	case <-time.After(20 * time.Millisecond):
	}
	is.NoErr(r.Close())
	select {
	case <-unread:
	case <-time.After(time.Minute):
		t.Fatal("not noticed")
	}
}

func TestTheWatchOfAPipeEndsWhenItIsStopped(t *testing.T) {
	is := is.New(t)
	r, w, err := os.Pipe()
	is.NoErr(err)
	defer r.Close()
	stop := WhenUnread(w, func() { t.Error("it has a reader") })
	stop()
	is.NoErr(w.Close()) // which waits for whoever uses the file
	n, err := r.Read(make([]byte, 1))
	is.True(n == 0 && err == io.EOF) // no descriptor is left
}
