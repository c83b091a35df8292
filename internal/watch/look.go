package watch

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// examine checks a resource and notifies its subscribers if it has changed or is gone.
func (w *Watcher) examine(ctx context.Context, r *resource, l *look) {
	began := time.Now()
	var f finding
	if w.o.Changes != nil { // before it is read, so that nothing is missed; after a panic, only reading shows a change
		w.safely(r.uri, func() { f.changes = w.o.Changes(r.uri) })
	}
	f.stamp = w.stamp(r.uri, f.changes) // before it is read: a change in the meantime gives it another stamp
	f.digest, f.err = w.digest(ctx, r.uri)
	toNotify, gone := w.record(ctx, r, l, f, time.Since(began))
	for _, sub := range toNotify {
		w.safely(r.uri, func() { sub.changed(gone) })
	}
}

// safely calls do for a resource. A panic in it affects no other.
func (w *Watcher) safely(uri string, do func()) {
	defer func() {
		if v := recover(); v != nil { // nothing else recovers it
			w.o.Log.Error("panic", "uri", uri, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	do()
}

// A finding is the result of a look.
type finding struct {
	changes       Changes
	stamp, digest string
	err           error // of Digest
}

// stamp returns the stamp of a resource; a panic means that there is none.
func (w *Watcher) stamp(uri string, c Changes) (stamp string) {
	if c.Stamp != nil {
		w.safely(uri, func() { stamp = c.Stamp() })
	}
	return stamp
}

// digest reads a resource, within the time limit.
func (w *Watcher) digest(ctx context.Context, uri string) (digest string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(max(w.o.Limit, 0), 30*time.Second), errTimeout)
	defer cancel()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	err = fmt.Errorf("panic while %s was read", uri)
	w.safely(uri, func() { digest, err = w.o.Digest(ctx, uri) })
	return digest, err
}

// record records the result of a look, and returns the subscribers to notify.
func (w *Watcher) record(ctx context.Context, r *resource, l *look, f finding,
	took time.Duration) (toNotify []*subscriber, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer close(l.done)
	l.err = f.err
	r.changes.end()
	if r.changes = f.changes; w.watched[r.uri] != r { // nobody watches it any more
		r.changes.end()
	}
	r.look = nil
	readers := 1
	if f.stamp == "" { // all resources that have to be read each time take a tenth of the time together
		readers = max(1, w.reading)
	}
	r.restsUntil = time.Now().Add(min(restRatio*took*time.Duration(readers), longestRest))
	if r.due {
		w.wake()
	}
	switch {
	case ctx.Err() != nil: // nobody watches it any more
	case f.err != nil && w.o.Gone(f.err):
		w.o.Log.Debug("a watched resource is gone", "uri", r.uri)
		toNotify, gone = r.withBaseline(), true
		r.subscribers = nil
		w.forget(r)
	case f.err != nil:
		w.o.Log.Debug("a watched resource cannot be read now", "uri", r.uri, "error", f.err)
	default:
		if r.seen && (r.given || f.digest != r.digest) {
			toNotify = r.withBaseline()
		}
		r.seen, r.digest, r.stamp, r.given = true, f.digest, f.stamp, false
		for _, sub := range r.subscribers {
			sub.hasBaseline = true
		}
	}
	return toNotify, gone
}

// withBaseline returns the subscribers that an earlier look has given a baseline. w.mu is held.
func (r *resource) withBaseline() (all []*subscriber) {
	for _, sub := range r.subscribers {
		if sub.hasBaseline {
			all = append(all, sub)
		}
	}
	return all
}
