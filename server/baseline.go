package server

import "context"

// A baseline is the state of a project's lists from which changes are reported. Requests for lists
// wait for it too, so no client has an older list. The zero value is for a server that reports no
// changes.
type baseline struct {
	taken chan struct{} // closed when it is taken; nil if none is expected
}

// expect announces that the baseline will be taken; it must be called before the other methods.
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

// take marks the baseline as taken. It may be called once.
func (b *baseline) take() { close(b.taken) }
