package pipeline

import "sync/atomic"

// A relay is the goroutines that have the baton one after the other. A message that yields
// passes it to another one, and the way in is deep: a goroutine that has gone it before
// has the stack for it, one that is new would have it copied again and again while it grows.
type relay struct {
	next    chan func() // to one that waits
	over    <-chan struct{}
	waiting atomic.Int32
}

// spare is how many goroutines wait for the baton at most.
const spare = 2

// hand calls f in a goroutine.
func (r *relay) hand(f func()) {
	select {
	case r.next <- f:
	default:
		go r.run(f)
	}
}

// run calls f, and then what comes next while too few others wait for it.
func (r *relay) run(f func()) {
	for f != nil {
		f()
		f = r.take()
	}
}

// take waits for what comes next, and returns nil when there is nothing to wait for.
func (r *relay) take() (f func()) {
	if r.waiting.Add(1) <= spare {
		select {
		case f = <-r.next:
		case <-r.over:
		}
	}
	r.waiting.Add(-1)
	return f
}
