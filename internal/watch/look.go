package watch

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// see looks at a resource and tells who watches it what has become of it.
func (w *Watcher) see(ctx context.Context, r *resource, l *look) {
	began := time.Now()
	stamp := w.stamp(r.uri) // before it is read: what changes meanwhile has another one then
	digest, err := w.digest(ctx, r.uri)
	told, gone := w.note(ctx, r, l, digest, stamp, err, time.Since(began))
	for _, one := range told {
		one.changed(gone)
	}
}

// digest reads a resource, within the limit.
func (w *Watcher) digest(ctx context.Context, uri string) (digest string, err error) {
	limit := w.o.Limit
	if limit <= 0 {
		limit = 30 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	defer func() { // nobody else stands around it
		if v := recover(); v != nil {
			w.o.Log.Error("panic", "uri", uri, "panic", v, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic while %s was read", uri)
		}
	}()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return w.o.Digest(ctx, uri)
}

// note notes what a look has found, and returns who is to be told of it.
func (w *Watcher) note(ctx context.Context, r *resource, l *look, digest, stamp string, err error, took time.Duration) (told []*watcher, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer close(l.done)
	l.err = err
	r.look = nil
	r.rests = time.Now().Add(w.rest(took, stamp))
	if r.due {
		w.wake()
	}
	switch {
	case ctx.Err() != nil: // nobody watches it any more
	case err != nil && w.o.Gone(err):
		w.o.Log.Debug("a watched resource is gone", "uri", r.uri)
		told, gone = r.begun(), true
		r.watchers = nil
		w.forget(r)
	case err != nil:
		w.o.Log.Debug("a watched resource cannot be read now", "uri", r.uri, "error", err)
	default:
		if r.seen && digest != r.digest {
			told = r.begun()
		}
		r.seen, r.digest, r.stamp = true, digest, stamp
		for _, one := range r.watchers {
			one.begun = true
		}
	}
	return told, gone
}

// rest is how long a resource rests after a look: so long that all those that
// have to be read each time take a tenth of the time together. w.mu is held.
func (w *Watcher) rest(took time.Duration, stamp string) time.Duration {
	readers := 1
	if stamp == "" {
		readers = max(1, w.reading)
	}
	return min(restRatio*took*time.Duration(readers), longestRest)
}

// begun are those who watch a resource since an earlier look. w.mu is held.
func (r *resource) begun() (all []*watcher) {
	for _, one := range r.watchers {
		if one.begun {
			all = append(all, one)
		}
	}
	return all
}
