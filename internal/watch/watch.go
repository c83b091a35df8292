// Package watch detects changes of resources: however many subscribers a resource has, it is
// checked once for all of them.
//
// It is independent of protocols and sessions. A project has one [Watcher], which all its sessions
// share.
package watch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sort"
	"sync"
	"time"
)

// Changes are how changes of a resource are noticed without reading it, from one look to the next. The zero
// value: not at all. Its functions must not call the Watcher.
type Changes struct {
	// Stamp returns a value that differs when the resource has changed; "" if there is none, so that it has to
	// be read.
	Stamp func() string
	// While Reported returns true, changes are reported by [Watcher.Changed], and the resource is not polled.
	// Its result may change when Changed is called.
	Reported func() bool
	// Release ends the reports.
	Release func()
}

// end releases them, once.
func (c *Changes) end() {
	if c.Release != nil {
		c.Release()
	}
	*c = Changes{}
}

// Options configure a Watcher. Digest and Gone are required.
type Options struct {
	// Digest returns a digest of the contents of a resource: equal digests mean equal contents. It
	// is called by several goroutines, for different resources.
	Digest func(ctx context.Context, uri string) (string, error)
	// Gone reports whether an error of Digest means that there is no such resource.
	Gone func(error) bool
	// Changes returns how changes of a resource are noticed without reading it. It is called before each look,
	// and must not call the Watcher. Nil: only by reading.
	Changes func(uri string) Changes
	// Interval is how often the resources are polled; 0: only after Look.
	Interval time.Duration
	// Limit is how long one look may take; 0: 30 s.
	Limit time.Duration
	Log   *slog.Logger
}

const (
	looksAtOnce = 4               // besides the first look for a new subscriber
	restRatio   = 10              // how much longer the pause is than the looks took
	longestRest = 5 * time.Minute // but no longer than this
)

// ErrClosed is the error of Watch after the end of Run.
var ErrClosed = errors.New("nothing is watched any more")

var errTimeout = errors.New("it took too long to read")

// A Watcher polls resources, and notifies subscribers of changes. It may be used by several
// goroutines.
type Watcher struct {
	o      Options
	ctx    context.Context // of all looks
	cancel context.CancelCauseFunc
	slots  chan struct{} // has a value for each resource that is being read
	woken  chan struct{} // has a value when there is a reason to sweep
	looks  sync.WaitGroup

	mu      sync.Mutex // guards the fields below, and those of resources
	closed  bool
	watched map[string]*resource // by URI
	reading int                  // how many resources have to be read, as of the last sweep
}

// A resource is a watched resource.
type resource struct {
	uri         string
	changes     Changes // of Options.Changes, from the last look
	seen        bool    // a look has read it
	digest      string
	stamp       string // "" for none
	given       bool   // a reader has got something else since
	subscribers []*subscriber
	look        *look     // in progress; nil if there is none
	due         bool      // it is to be looked at
	restsUntil  time.Time // it is not looked at before this time
}

// sure reports whether all changes of the resource are reported.
func (r *resource) sure() bool { return r.changes.Reported != nil && r.changes.Reported() }

// A subscriber is a caller of Watch.
type subscriber struct {
	changed     func(gone bool)
	hasBaseline bool // a look has recorded the contents since it subscribed, so later changes are reported to it
}

// A look is a look at a resource that is in progress.
type look struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
	err    error         // written before done is closed
}

// New returns a watcher that watches nothing so far.
func New(o Options) *Watcher {
	w := &Watcher{o: o, slots: make(chan struct{}, looksAtOnce), woken: make(chan struct{}, 1),
		watched: make(map[string]*resource)}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	return w
}

// Watch calls changed each time a resource has changed, until release is called; perhaps once more
// while release runs. When the resource is gone, changed is called with gone set, for the last
// time. It must not block: all subscribers of the resource wait for it.
//
// The error is that of Digest, the cause of ctx, or [ErrClosed].
func (w *Watcher) Watch(ctx context.Context, uri string, changed func(gone bool)) (release func(), err error) {
	sub := &subscriber{changed: changed}
	r, l, err := w.subscribe(uri, sub)
	if err != nil {
		return nil, err
	}
	select {
	case <-l.done:
		err = l.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		w.unsubscribe(r, sub)
		return nil, err
	}
	return func() { w.unsubscribe(r, sub) }, nil
}

// subscribe adds a subscriber to a resource, and returns the look that records its contents: the
// one in progress, or a new one.
func (w *Watcher) subscribe(uri string, sub *subscriber) (*resource, *look, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, nil, ErrClosed
	}
	r := w.watched[uri]
	if r == nil {
		r = &resource{uri: uri}
		w.watched[uri] = r
		w.wake() // Run waits without a timer while there is nothing to watch
	}
	r.subscribers = append(r.subscribers, sub)
	if r.look == nil {
		w.startLook(r, false)
	}
	return r, r.look, nil
}

// unsubscribe removes a subscriber from a resource. With the last one, the resource is forgotten
// and its look is cancelled.
func (w *Watcher) unsubscribe(r *resource, sub *subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.subscribers = slices.DeleteFunc(r.subscribers, func(o *subscriber) bool { return o == sub })
	if len(r.subscribers) > 0 {
		return
	}
	if r.look != nil {
		r.look.cancel()
	}
	w.forget(r)
}

// forget removes a resource from the watched ones. w.mu is held.
func (w *Watcher) forget(r *resource) {
	if w.watched[r.uri] == r {
		delete(w.watched, r.uri)
		r.changes.end()
	}
}

// Look starts a look at all resources now, except those that were expensive to read: they rest
// first.
func (w *Watcher) Look() {
	w.markDue(func(*resource) bool { return true })
	w.wake()
}

// Changed starts a look at the resources whose changes are reported.
func (w *Watcher) Changed() {
	w.markDue((*resource).sure)
	w.wake()
}

// Given notes that a client was given the contents of a resource, with their digest; "" if there was
// no such resource. If that is not what the last look found, the next one reports a change, even if
// the resource is by then what it was before. The digest is only asked for while somebody watches
// the resource; with an error, nothing is noted.
func (w *Watcher) Given(uri string, digest func() (string, error)) {
	w.mu.Lock()
	r := w.watched[uri]
	w.mu.Unlock()
	if r == nil {
		return
	}
	found, err := digest()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || !r.seen || found == r.digest {
		return
	}
	r.given, r.stamp = true, ""
	if r.sure() { // otherwise it is polled
		r.due = true
		w.wake()
	}
}

// markDue marks the resources that are to be looked at.
func (w *Watcher) markDue(which func(*resource) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.watched {
		r.due = r.due || which(r)
	}
}

func (w *Watcher) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// Run looks at the resources until ctx ends, and returns when no look is in progress any more. It
// may be called once. It sleeps while nothing is watched, or while changes of all watched resources
// are reported.
func (w *Watcher) Run(ctx context.Context) {
	defer func() { // the looks end
		w.mu.Lock()
		w.closed = true
		w.mu.Unlock()
		w.cancel(context.Cause(ctx))
		w.looks.Wait()
	}()
	var tick time.Time // when all are due; zero: never
	for ctx.Err() == nil {
		began := time.Now()
		ticks := !tick.IsZero() && !began.Before(tick)
		if ticks {
			w.markDue(func(r *resource) bool { return !r.sure() })
		}
		rested := w.sweep()
		switch {
		case w.o.Interval <= 0 || !w.polls():
			tick = time.Time{}
		case ticks || tick.IsZero():
			tick = began.Add(max(w.o.Interval, restRatio*time.Since(began)))
		}
		w.wait(ctx, tick, rested)
	}
}

// wait returns when there is a reason to sweep, or at the earliest of the times that are not zero.
func (w *Watcher) wait(ctx context.Context, times ...time.Time) {
	times = slices.DeleteFunc(times, time.Time.IsZero)
	var clock <-chan time.Time
	if len(times) > 0 {
		timer := time.NewTimer(time.Until(slices.MinFunc(times, time.Time.Compare)))
		defer timer.Stop()
		clock = timer.C
	}
	select {
	case <-ctx.Done():
	case <-w.woken:
	case <-clock:
	}
}

// polls reports whether there is a resource whose changes only a look can detect.
func (w *Watcher) polls() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.watched {
		if !r.sure() {
			return true
		}
	}
	return false
}

// A check is a resource that is due, with the stamp to compare.
type check struct {
	*resource
	changes Changes
	stamp   string
}

// sweep starts a look at the resources that are due, except those whose stamp is unchanged. It
// returns the time at which the first of the resting resources may be looked at, zero if none
// rests.
func (w *Watcher) sweep() (rested time.Time) {
	due, rested := w.takeDue()
	due = slices.DeleteFunc(due, func(c check) bool { return c.stamp != "" && w.stamp(c.uri, c.changes) == c.stamp })
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range due {
		if c.look == nil && w.watched[c.uri] == c.resource && !w.closed {
			w.startLook(c.resource, true)
		}
	}
	return rested
}

// takeDue returns the resources that are due and can be looked at, in the order of their URIs. The
// others stay due.
func (w *Watcher) takeDue() (due []check, rested time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.reading = 0
	for _, r := range w.watched {
		if r.stamp == "" {
			w.reading++
		}
		switch {
		case !r.due || r.look != nil: // when that has ended, it wakes Run
		case r.restsUntil.After(now):
			if rested.IsZero() || r.restsUntil.Before(rested) {
				rested = r.restsUntil
			}
		default:
			r.due = false
			due = append(due, check{r, r.changes, r.stamp})
		}
	}
	sort.Slice(due, func(i, j int) bool { return due[i].uri < due[j].uri })
	return due, rested
}

// startLook starts a look at a resource, in its turn or at once. w.mu is held.
func (w *Watcher) startLook(r *resource, inTurn bool) {
	ctx, cancel := context.WithCancel(w.ctx)
	l := &look{cancel: cancel, done: make(chan struct{})}
	r.look = l
	w.looks.Go(func() {
		defer cancel()
		if inTurn {
			select {
			case w.slots <- struct{}{}:
				defer func() { <-w.slots }()
			case <-ctx.Done():
			}
		}
		w.examine(ctx, r, l)
	})
}
