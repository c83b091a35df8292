package pipeline

import "sync/atomic"

// A relay is the goroutines that take turns with the baton. A message that yields passes it on, and
// the call stack of the way in is deep: a goroutine that has been there before has a large enough
// stack, while that of a new one would be copied again and again as it grows: a call gains 10 %.
type relay struct {
	next    chan func()     // to a waiting goroutine
	over    <-chan struct{} // closed when no goroutine should wait any more
	waiting atomic.Int32
}

// spare is the most goroutines that wait for the baton.
const spare = 8

// hand calls f in a waiting goroutine, or else in a new one.
func (r *relay) hand(f func()) {
	select {
	case r.next <- f:
	default:
		go r.run(f)
	}
}

// run calls f, and then the next functions, as long as it is one of the spare ones.
func (r *relay) run(f func()) {
	for f != nil {
		f()
		f = r.take()
	}
}

// take waits for the next function, and returns nil if it should not wait.
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
