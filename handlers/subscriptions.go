package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	// Updated reports to the watchers of a resource that it has changed. Subscribed is
	// whether the session is one of them. It is called by Run.
	Updated func(uri string, subscribed bool)
	// Log gets a line at debug level when a subscription or a watch begins, when it ends, and
	// when its resource has changed. Nil: nothing is logged.
	Log *slog.Logger
	// Max is how many resources may be watched at once; 0: 1,024.
	Max int

	once  sync.Once
	woken chan struct{} // has a value when there are changes to report

	mu       sync.Mutex
	watched  map[string]*watched // by URI
	entering int                 // how many are about to be watched
	closed   bool
}

// A watched resource has at least one watcher.
type watched struct {
	subscribed bool // by the session
	listens    int
	release    func()
	pending    bool // it has changed, and that is not yet reported
	gone       bool // it no longer exists, so this is the last report
}

var errEnded = errors.New("the session has ended")

func (s *Subscriptions) init() {
	s.once.Do(func() {
		s.woken = make(chan struct{}, 1)
		s.watched = make(map[string]*watched)
	})
}

// Add subscribes the session to changes of a resource from now on. The error is that of the
// watcher, or that there are too many.
func (s *Subscriptions) Add(ctx context.Context, uri string) error {
	_, err := s.enter(ctx, uri, func(w *watched) { w.subscribed = true })
	if err == nil {
		s.debug("subscribed", uri)
	}
	return err
}

// Remove ends the session's subscription, if there is one.
func (s *Subscriptions) Remove(uri string) {
	if s.leave(uri, nil, func(w *watched) { w.subscribed = false }) {
		s.debug("unsubscribed", uri)
	}
}

func (s *Subscriptions) debug(what, uri string) {
	if s.Log != nil {
		s.Log.Debug(what, "uri", uri)
	}
}

// Watch watches a resource for a listen from now on, until release is called. The error is as for
// Add.
func (s *Subscriptions) Watch(ctx context.Context, uri string) (release func(), err error) {
	w, err := s.enter(ctx, uri, func(w *watched) { w.listens++ })
	if err != nil {
		return nil, err
	}
	s.debug("watched for a stream", uri)
	return func() {
		if s.leave(uri, w, func(w *watched) { w.listens-- }) {
			s.debug("no longer watched for a stream", uri)
		}
	}, nil
}

// enter records a watcher of a resource, and watches the resource if it is the first.
func (s *Subscriptions) enter(ctx context.Context, uri string, note func(*watched)) (*watched, error) {
	s.init()
	if w, err := s.reserve(uri, note); w != nil || err != nil {
		return w, err
	}
	w := &watched{}
	release, err := s.Watcher.Watch(ctx, uri, func(gone bool) { s.markChanged(w, gone) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entering--
	if err != nil {
		return nil, err
	}
	w.release = release
	switch other := s.watched[uri]; {
	case s.closed:
		release()
		return nil, errEnded
	case other == nil:
		s.watched[uri] = w
	case other.gone:
		s.watched[uri] = w
		w.pending = w.pending || other.pending
	default: // another call was faster
		release()
		w = other
	}
	note(w)
	s.wake() // perhaps it has changed already
	return w, nil
}

// reserve returns the watched resource of a URI. If it is nil, there is room for one more, which is
// reserved.
func (s *Subscriptions) reserve(uri string, note func(*watched)) (*watched, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := cmp.Or(s.Max, 1024)
	switch w := s.watched[uri]; {
	case s.closed:
		return nil, errEnded
	case w != nil && !w.gone:
		note(w)
		return w, nil
	case len(s.watched)+s.entering >= most:
		return nil, fmt.Errorf("%w: a client can watch at most %d resources; unsubscribe from one first",
			pipeline.ErrInternal, most)
	}
	s.entering++
	return nil, nil
}

// leave records that a resource has lost a watcher: only is the watched resource, nil for the
// current one of that URI. It reports whether that was watched.
func (s *Subscriptions) leave(uri string, only *watched, note func(*watched)) bool {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watched[uri]
	if w == nil || only != nil && w != only {
		return false
	}
	note(w)
	if !w.subscribed && w.listens == 0 {
		delete(s.watched, uri)
		w.release()
	}
	return true
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
		for _, n := range s.changes() {
			s.debug("resource changed", n.uri)
			s.Updated(n.uri, n.subscribed)
		}
	}
}

// A change is a resource that has changed.
type change struct {
	uri        string
	subscribed bool
}

// changes returns the changes not yet reported. A resource that is gone is forgotten.
func (s *Subscriptions) changes() (all []change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(s.watched)) {
		w := s.watched[uri]
		if !w.pending {
			continue
		}
		w.pending = false
		all = append(all, change{uri, w.subscribed})
		if w.gone {
			delete(s.watched, uri)
		}
	}
	return all
}

func (s *Subscriptions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, w := range s.watched {
		w.release()
	}
	clear(s.watched)
}
