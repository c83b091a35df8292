// Package watch notices when resources change, for everybody who wants to know:
// however many watch a resource, it is looked at once.
//
// It knows nothing of protocols and sessions. A project has one [Watcher]; the
// sessions that are served from it watch through that.
package watch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Options say what a watcher looks at, and how. Digest and Gone are required.
type Options struct {
	// Digest returns what a resource holds now: equal digests, equal contents. It is
	// called by several goroutines, for different resources.
	Digest func(ctx context.Context, uri string) (string, error)
	// Gone reports whether an error of Digest says that there is no such resource.
	Gone func(error) bool
	// Stamp returns, without reading a resource, what is another one when it has
	// changed; "" where nothing is, so that it has to be read. Nil: nothing ever is.
	Stamp func(uri string) string
	// Reports begins to report changes of a resource by [Watcher.Changed], until release is
	// called. While reported says that it can, the resource is not looked at every
	// Interval; what it says may change when Changed is called. It is asked before each
	// look. Neither of the two may call the Watcher. Nil: nothing is reported.
	Reports func(uri string) (reported func() bool, release func())
	// Interval is how often the resources are looked at; 0: only after Look.
	Interval time.Duration
	// Limit is how long one look may take; 0: 30 s.
	Limit time.Duration
	// Looks is how many resources are read at once; 0: 4. Those that somebody begins
	// to watch are not counted.
	Looks int
	Log   *slog.Logger
}

const (
	restRatio   = 10              // how much longer than looks take nothing is looked at
	longestRest = 5 * time.Minute // but no longer than this
)

// ErrClosed is the error of Watch after the end of Run.
var ErrClosed = errors.New("nothing is watched any more")

var errTimeout = errors.New("it took too long to read")

// A Watcher looks at resources again and again. It may be used by several
// goroutines.
type Watcher struct {
	o      Options
	ctx    context.Context // of all looks
	cancel context.CancelCauseFunc
	slots  chan struct{} // has as many values as resources are read
	woken  chan struct{} // has a value when there is a reason to sweep
	looks  sync.WaitGroup

	mu      sync.Mutex // guards what follows, and the fields of resources
	closed  bool
	watched map[string]*resource // by URI
	reading int                  // how many have to be read, as of the last sweep
}

// A resource is one that somebody watches.
type resource struct {
	uri         string
	reports     reports // of Options.Reports, when it was looked at last
	seen        bool    // there was a look that found it
	digest      string
	stamp       string // "" for none
	subscribers []*subscriber
	look        *look     // at work; nil: none is
	due         bool      // it is to be looked at
	restsUntil  time.Time // it is not looked at before
}

// reports are those of a resource; the zero value is for none.
type reports struct {
	reported func() bool
	release  func()
}

// sure reports whether all changes are reported.
func (r reports) sure() bool { return r.reported != nil && r.reported() }

// end ends them, once.
func (r *reports) end() {
	if r.release != nil {
		r.release()
	}
	*r = reports{}
}

// A watcher is somebody who watches a resource.
type subscriber struct {
	changed     func(gone bool)
	hasBaseline bool // what differs from the last look is news to them
}

// A look is one that is at work.
type look struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended
	err    error         // written before done is closed
}

// New returns a watcher that watches nothing so far.
func New(o Options) *Watcher {
	w := &Watcher{
		o:       o,
		slots:   make(chan struct{}, cmp.Or(o.Looks, 4)),
		woken:   make(chan struct{}, 1),
		watched: make(map[string]*resource),
	}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	return w
}

// Watch has changed called each time a resource differs from what it was, from
// now on and until release is called; perhaps once more while that runs. When the
// resource is gone, changed is told so, and that was the last call. It must not
// block: everybody who watches the resource waits for it.
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

// enter notes that somebody watches a resource, and returns the look that finds
// what it holds: the one at work, or a new one.
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
		w.wake() // Run waits without a clock while there is nothing to watch
	}
	r.subscribers = append(r.subscribers, sub)
	if r.look == nil {
		w.startLook(r, false)
	}
	return r, r.look, nil
}

// leave notes that somebody does not watch a resource any more. After the last of
// them nothing of it is left, and nothing runs for it.
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

// forget takes a resource from those that are watched. w.mu is held.
func (w *Watcher) forget(r *resource) {
	if w.watched[r.uri] == r {
		delete(w.watched, r.uri)
		r.reports.end()
	}
}

// Look has all resources looked at now, but for those that were expensive to
// read: they rest first.
func (w *Watcher) Look() {
	w.markDue(func(*resource) bool { return true })
	w.wake()
}

// Changed has those resources looked at now that Options.Reports reports about.
func (w *Watcher) Changed() {
	w.markDue(func(r *resource) bool { return r.reports.sure() })
	w.wake()
}

// due notes which resources are to be looked at.
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

// Run looks at the resources until ctx ends, and returns when no look is at work
// any more. It may be called once. While nothing is watched, or changes of all that is
// watched are reported, it sleeps.
func (w *Watcher) Run(ctx context.Context) {
	defer w.end(ctx)
	var tick time.Time // when all are due; zero: never
	for ctx.Err() == nil {
		began := time.Now()
		ticks := !tick.IsZero() && !began.Before(tick)
		if ticks {
			w.markDue(func(r *resource) bool { return !r.reports.sure() })
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

// end ends the looks and waits for them.
func (w *Watcher) end(ctx context.Context) {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel(context.Cause(ctx))
	w.looks.Wait()
}

// wait returns when there is a reason to sweep, or at the first of the times that
// is not zero.
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

// polls reports whether there is a resource of which only a look tells.
func (w *Watcher) polls() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.watched {
		if !r.reports.sure() {
			return true
		}
	}
	return false
}

// A check is what a resource is compared with.
type check struct {
	*resource
	stamp string
}

// sweep begins to read the resources that are due, but those whose stamp says that
// they are as they were. It returns when the first of those that rest may be
// looked at, zero if none does.
func (w *Watcher) sweep() (rested time.Time) {
	due, rested := w.takeDue()
	due = slices.DeleteFunc(due, func(c check) bool { return c.stamp != "" && w.stamp(c.uri) == c.stamp })
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range due {
		if c.look == nil && w.watched[c.uri] == c.resource && !w.closed {
			w.startLook(c.resource, true)
		}
	}
	return rested
}

// takeDue returns the resources that are due and can be looked at, in the order of
// their addresses. The others stay due.
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
			due = append(due, check{r, r.stamp})
		}
	}
	slices.SortFunc(due, func(a, b check) int { return cmp.Compare(a.uri, b.uri) })
	return due, rested
}

// stamp is Options.Stamp, where a panic means that there is none.
func (w *Watcher) stamp(uri string) (stamp string) {
	if w.o.Stamp == nil {
		return ""
	}
	defer func() {
		if v := recover(); v != nil {
			w.panicked(uri, v)
			stamp = ""
		}
	}()
	return w.o.Stamp(uri)
}

// begin begins to look at a resource, in its turn or at once. w.mu is held.
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
