package handlers

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// Subscriptions watch resources and tell when their contents change: for the
// session, which subscribes to them, and for open listens. They may be used by
// several goroutines.
type Subscriptions struct {
	// Digest tells what a resource holds now: equal digests, equal contents.
	Digest func(ctx context.Context, uri string) (string, error)
	// Gone reports whether an error of Digest says that the resource is no more.
	Gone func(error) bool
	// Updated tells who watches that a resource has changed. Subscribed says
	// whether the session does.
	Updated func(uri string, subscribed bool)
	// Interval is how often the resources are looked at; 0: only after Look.
	Interval time.Duration
	Log      *slog.Logger

	once  sync.Once
	woken chan struct{} // has a value when there is a reason to look

	mu      sync.Mutex
	watched map[string]*watched // by URI
}

// A watched resource is one that somebody watches.
type watched struct {
	digest     string
	subscribed bool // by the session
	listens    int
}

func (s *Subscriptions) init() {
	s.once.Do(func() {
		s.woken = make(chan struct{}, 1)
		s.watched = make(map[string]*watched)
	})
}

// Add subscribes the session to a resource, from what it holds now. The error
// is that of Digest.
func (s *Subscriptions) Add(ctx context.Context, uri string) error {
	_, err := s.enter(ctx, uri, func(w *watched) { w.subscribed = true })
	return err
}

// Remove ends the session's subscription, if there is one.
func (s *Subscriptions) Remove(uri string) {
	s.leave(uri, nil, func(w *watched) { w.subscribed = false })
}

// Watch watches a resource for a listen, from what it holds now, until release
// is called. The error is that of Digest.
func (s *Subscriptions) Watch(ctx context.Context, uri string) (release func(), err error) {
	w, err := s.enter(ctx, uri, func(w *watched) { w.listens++ })
	if err != nil {
		return nil, err
	}
	return func() { s.leave(uri, w, func(w *watched) { w.listens-- }) }, nil
}

// enter notes that a resource is watched.
func (s *Subscriptions) enter(ctx context.Context, uri string, note func(*watched)) (*watched, error) {
	s.init()
	digest, err := s.Digest(ctx, uri)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watched[uri]
	if w == nil {
		w = &watched{digest: digest}
		s.watched[uri] = w
	}
	note(w)
	s.wake() // the loop waits without a clock while there is nothing to watch
	return w, nil
}

// leave notes that somebody does not watch a resource any more: only is what
// they watched, nil for whatever is watched now.
func (s *Subscriptions) leave(uri string, only *watched, note func(*watched)) {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watched[uri]
	if w == nil || only != nil && w != only {
		return
	}
	note(w)
	if !w.subscribed && w.listens == 0 {
		delete(s.watched, uri)
	}
}

// Look makes the loop look at the resources now.
func (s *Subscriptions) Look() {
	s.init()
	s.wake()
}

func (s *Subscriptions) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// Run looks at the resources until ctx ends. While nothing is subscribed to, it
// sleeps.
func (s *Subscriptions) Run(ctx context.Context) {
	s.init()
	for s.wait(ctx) {
		s.look(ctx)
	}
}

// wait returns when there is a reason to look; false when there never will be.
func (s *Subscriptions) wait(ctx context.Context) bool {
	var clock <-chan time.Time
	if s.Interval > 0 && s.count() > 0 {
		timer := time.NewTimer(s.Interval)
		defer timer.Stop()
		clock = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-s.woken:
	case <-clock:
	}
	return true
}

func (s *Subscriptions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watched)
}

// look tells what has changed since the last look. A resource that is gone is
// told once more, and then no longer watched.
func (s *Subscriptions) look(ctx context.Context) {
	for _, uri := range s.uris() {
		before, ok := s.digest(uri)
		if !ok {
			continue
		}
		now, err := s.Digest(ctx, uri)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && s.Gone(err):
			s.Log.Debug("a watched resource is gone", "uri", uri)
			s.Updated(uri, s.forget(uri))
		case err != nil:
			s.Log.Debug("a watched resource cannot be read now", "uri", uri, "error", err)
		default:
			if subscribed, news := s.replace(uri, before, now); news {
				s.Updated(uri, subscribed)
			}
		}
	}
}

func (s *Subscriptions) uris() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.watched))
}

func (s *Subscriptions) digest(uri string) (digest string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.watched[uri]; w != nil {
		return w.digest, true
	}
	return "", false
}

// forget stops to watch a resource and reports whether the session did.
func (s *Subscriptions) forget(uri string) (subscribed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.watched[uri]; w != nil {
		subscribed = w.subscribed
	}
	delete(s.watched, uri)
	return subscribed
}

// replace notes a digest and reports whether it is news to who still watches.
func (s *Subscriptions) replace(uri, before, now string) (subscribed, news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watched[uri]
	if w == nil || w.digest != before || now == before {
		return false, false
	}
	w.digest = now
	return w.subscribed, true
}
