package server

import (
	"context"
	"sync/atomic"
)

// A baseline is what the lists of a project were when changes of them began to be
// told. Who tells a client of the server waits for it, so that no later change is
// missed. The zero value is for a server that tells no changes.
type baseline struct {
	taken chan struct{} // closed when there is one; nil where none is expected
	late  atomic.Bool   // a client was told of the server before
}

// expect says that the baseline will be taken; it comes before the others.
func (b *baseline) expect() { b.taken = make(chan struct{}) }

// wait waits for the baseline, but no longer than ctx lasts.
func (b *baseline) wait(ctx context.Context) {
	if b.taken == nil {
		return
	}
	select {
	case <-b.taken:
	case <-ctx.Done():
		b.late.Store(true)
	}
}

// take says that the baseline is taken, once. It reports whether somebody did not
// wait for it: then any list may have changed before.
func (b *baseline) take() (late bool) {
	close(b.taken)
	return b.late.Load()
}
