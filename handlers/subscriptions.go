package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// A Watcher watches resources for changes.
type Watcher interface {
	// Watch calls changed, which must not block, each time a resource differs from what it was,
	// until release is called. If the resource no longer exists, the last call has gone set. The
	// error is sent to the client.
	Watch(ctx context.Context, uri string, changed func(gone bool)) (release func(), err error)
}

// Subscriptions are the resources whose changes the clients of one stream want to receive: by
// subscriptions of the session, and by open listens. They may be used by several goroutines.
type Subscriptions struct {
	Watcher Watcher
	// Updated reports to the session that a resource to which it is subscribed has changed. It is called by Run.
	Updated func(uri string)
	// Log gets a line at debug level when a subscription or a watch begins, when it ends, and
	// when its resource has changed. Nil: nothing is logged.
	Log *slog.Logger
	// Max is how many may be watched at once; 0: 1,024.
	Max int

	once  sync.Once
	woken chan struct{} // has a value when there are changes to report

	mu      sync.Mutex
	watched []*watched // also those that are about to be, in the order in which they were asked for
	closed  bool
}

// A watched resource is one whose changes the session, or a listen, wants to receive.
type watched struct {
	uri     string
	session bool   // it is subscribed to by the session
	report  func() // that it has changed
	release func() // nil while it is about to be watched
	pending bool   // it has changed, and that is not yet reported
	gone    bool   // it no longer exists, so this is the last report
}

var errEnded = errors.New("the session has ended")

func (s *Subscriptions) init() { s.once.Do(func() { s.woken = make(chan struct{}, 1) }) }

// Add subscribes the session to changes of a resource from now on. The error is that of the
// watcher, or that there are too many.
func (s *Subscriptions) Add(ctx context.Context, uri string) error {
	w := &watched{uri: uri, session: true, report: func() { s.Updated(uri) }}
	if err := s.enter(ctx, w); err != nil {
		return err
	}
	s.leave(func(o *watched) bool { return o.session && o.uri == uri && o != w }) // it was subscribed already
	s.debug("subscribed", uri)
	return nil
}

// Remove ends the session's subscription, if there is one.
func (s *Subscriptions) Remove(uri string) {
	if s.leave(func(w *watched) bool { return w.session && w.uri == uri }) {
		s.debug("unsubscribed", uri)
	}
}

func (s *Subscriptions) debug(what, uri string) {
	if s.Log != nil {
		s.Log.Debug(what, "uri", uri)
	}
}

// Watch watches a resource for a listen from now on, until release is called. Run calls report when the resource has
// changed. The error is as for Add.
func (s *Subscriptions) Watch(ctx context.Context, uri string, report func()) (release func(), err error) {
	w := &watched{uri: uri, report: report}
	if err := s.enter(ctx, w); err != nil {
		return nil, err
	}
	s.debug("watched for a stream", uri)
	return func() {
		if s.leave(func(o *watched) bool { return o == w }) {
			s.debug("no longer watched for a stream", uri)
		}
	}, nil
}

// enter begins to watch a resource, if there is room for it.
func (s *Subscriptions) enter(ctx context.Context, w *watched) error {
	s.init()
	if err := s.reserve(w); err != nil {
		return err
	}
	release, err := s.Watcher.Watch(ctx, w.uri, func(gone bool) { s.markChanged(w, gone) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.closed {
		release()
		err = errEnded
	}
	if err != nil {
		s.watched = slices.DeleteFunc(s.watched, func(o *watched) bool { return o == w })
		return err
	}
	w.release = release
	s.wake() // perhaps it has changed already
	return nil
}

// reserve adds a resource that is about to be watched.
func (s *Subscriptions) reserve(w *watched) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := cmp.Or(s.Max, 1024)
	switch {
	case s.closed:
		return errEnded
	case len(s.watched) >= most:
		return fmt.Errorf("%w: a client can watch at most %d resources; unsubscribe from one first",
			pipeline.ErrInternal, most)
	}
	s.watched = append(s.watched, w)
	return nil
}

// leave stops watching some of the watched resources, and reports whether there are any.
func (s *Subscriptions) leave(some func(*watched) bool) (left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched = slices.DeleteFunc(s.watched, func(w *watched) bool {
		if w.release == nil || !some(w) {
			return false
		}
		w.release()
		left = true
		return true
	})
	return left
}

// markChanged records that a resource has changed. It must not block, so Run reports the change later.
func (s *Subscriptions) markChanged(w *watched, gone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.pending, w.gone = true, gone
	s.wake()
}

func (s *Subscriptions) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// Run reports changes until ctx ends; then all watching ends. A resource that changes again before
// it could be reported is reported once.
func (s *Subscriptions) Run(ctx context.Context) {
	s.init()
	defer s.close()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.woken:
		}
		for _, w := range s.changed() {
			s.debug("resource changed", w.uri)
			w.report()
		}
	}
}

// changed returns the resources whose changes are not yet reported. One that is gone is forgotten.
func (s *Subscriptions) changed() (all []*watched) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.watched {
		if w.pending && w.release != nil {
			w.pending = false
			all = append(all, w)
		}
	}
	s.watched = slices.DeleteFunc(s.watched, func(w *watched) bool { return w.gone && !w.pending })
	return all
}

func (s *Subscriptions) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.leave(func(*watched) bool { return true })
}
