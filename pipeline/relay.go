package pipeline

import "sync/atomic"

// A relay is the goroutines that take turns with the baton. A message that yields passes it on, and
// the call stack of the way in is deep: a goroutine that has been there before has a large enough
// stack, while that of a new one has to be made larger first.
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

// deepen makes the stack of a new goroutine large enough for the way through a chain, while there is nothing on it: with
// the chain on it, it would be copied at each step, which takes a fifth of the time of a message that is passed on.
//
//go:noinline
func deepen(at int) byte {
	var room [6 << 10]byte
	return room[at]
}

// run calls f, and then the next functions, as long as it is one of the spare ones.
func (r *relay) run(f func()) {
	deepen(0)
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
