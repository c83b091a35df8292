package round

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrForgotten is the cause with which a run ends whose client has not returned in time.
var ErrForgotten = errors.New("the client did not return with an answer")

// A Keeper keeps runs while their clients think. It may be used by several goroutines.
type Keeper struct {
	For time.Duration // how long a run is kept; 0: runs are not kept
	Max int           // how many at once; beyond that the longest waiting run is ended

	mu     sync.Mutex
	kept   []kept // the longest waiting first
	ends   int    // number of runs that are being ended
	closed bool
	ending sync.WaitGroup // runs that are being ended
}

type kept struct {
	id    string
	c     *Conversation
	timer *time.Timer
}

// Keeps reports whether runs are kept at all.
func (k *Keeper) Keeps() bool { return k.For > 0 && k.Max > 0 }

// Keep keeps a run until it is taken, and ends it if that does not happen in time. A run that
// cannot be kept has ended when Keep returns.
func (k *Keeper) Keep(id string, c *Conversation) {
	k.mu.Lock()
	if k.closed || !k.Keeps() {
		k.mu.Unlock()
		c.End(ErrForgotten)
		return
	}
	defer k.mu.Unlock()
	if len(k.kept) >= k.Max {
		k.forget(0)
	}
	k.kept = append(k.kept, kept{id, c, time.AfterFunc(k.For, func() { k.expire(c) })})
}

// expire removes and ends a run whose time is over, unless it was taken just now.
func (k *Keeper) expire(c *Conversation) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.kept, func(e kept) bool { return e.c == c }); i >= 0 {
		k.forget(i)
	}
}

// Drop ends a kept run, if there is one with that id.
func (k *Keeper) Drop(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := k.index(id); i >= 0 {
		k.forget(i)
	}
}

// index returns the position in the list of the run with an id, -1 if there is none. k.mu is held.
func (k *Keeper) index(id string) int {
	return slices.IndexFunc(k.kept, func(e kept) bool { return e.id == id })
}

// forget removes a run from the list and ends it. k.mu is held.
func (k *Keeper) forget(i int) {
	c := k.remove(i)
	k.ends++
	k.ending.Go(func() {
		c.End(ErrForgotten)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.ends--
	})
}

// Working reports whether a run is kept, or is being ended.
func (k *Keeper) Working() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.kept) > 0 || k.ends > 0
}

// Take returns a kept run and stops keeping it, nil if there is none with that id any more.
func (k *Keeper) Take(id string) *Conversation {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := k.index(id); i >= 0 {
		return k.remove(i)
	}
	return nil
}

// remove removes a run from the list. k.mu is held.
func (k *Keeper) remove(i int) *Conversation {
	e := k.kept[i]
	e.timer.Stop()
	k.kept = slices.Delete(k.kept, i, i+1)
	return e.c
}

// Close ends the kept runs, all at once, and returns when they and the ones that are being ended
// have ended. From now on none is kept.
func (k *Keeper) Close() {
	k.mu.Lock()
	k.closed = true
	for len(k.kept) > 0 {
		k.forget(0)
	}
	k.mu.Unlock()
	k.ending.Wait()
}
