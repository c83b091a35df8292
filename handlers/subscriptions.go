package handlers

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// Subscriptions watch the resources that the client has subscribed to and tell
// when their contents change. They may be used by several goroutines.
type Subscriptions struct {
	// Digest tells what a resource holds now: equal digests, equal contents.
	Digest func(ctx context.Context, uri string) (string, error)
	// Gone reports whether an error of Digest says that the resource is no more.
	Gone func(error) bool
	// Updated tells the client that a resource has changed.
	Updated func(uri string)
	// Interval is how often the resources are looked at; 0: only after Look.
	Interval time.Duration
	Log      *slog.Logger

	once  sync.Once
	woken chan struct{} // has a value when there is a reason to look

	mu      sync.Mutex
	digests map[string]string // by URI
}

func (s *Subscriptions) init() {
	s.once.Do(func() {
		s.woken = make(chan struct{}, 1)
		s.digests = make(map[string]string)
	})
}

// Add subscribes to a resource, from what it holds now. The error is that of
// Digest.
func (s *Subscriptions) Add(ctx context.Context, uri string) error {
	s.init()
	digest, err := s.Digest(ctx, uri)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.digests[uri]; !ok {
		s.digests[uri] = digest
	}
	s.wake() // the loop waits without a clock while there is nothing to watch
	return nil
}

// Remove ends a subscription, if there is one.
func (s *Subscriptions) Remove(uri string) {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.digests, uri)
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
	return len(s.digests)
}

// look tells what has changed since the last look. A resource that is gone is
// told once more, and then no longer watched.
func (s *Subscriptions) look(ctx context.Context) {
	s.mu.Lock()
	before := maps.Clone(s.digests)
	s.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(before)) {
		now, err := s.Digest(ctx, uri)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && s.Gone(err):
			s.Log.Debug("a subscribed resource is gone", "uri", uri)
			s.Remove(uri)
			s.Updated(uri)
		case err != nil:
			s.Log.Debug("a subscribed resource cannot be read now", "uri", uri, "error", err)
		case s.replace(uri, before[uri], now):
			s.Updated(uri)
		}
	}
}

// replace notes a digest and reports whether it is news to who still listens.
func (s *Subscriptions) replace(uri, before, now string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.digests[uri]; !ok || kept != before || now == before {
		return false
	}
	s.digests[uri] = now
	return true
}
