//go:build unix

package serving

import (
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
	WhenUnread(w, func() { close(unread) })
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
