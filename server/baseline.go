package server

import "context"

// A baseline is what the lists of a project were when changes of them began to be
// reported. Lists wait for it too, so no client knows an older one. The zero value is
// for a server that reports no changes.
type baseline struct {
	taken chan struct{} // closed when there is one; nil where none is expected
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
	}
}

// take says that the baseline is taken, once.
func (b *baseline) take() { close(b.taken) }
