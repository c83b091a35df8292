package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
)

var errGone = errors.New("gone")

// shelf holds resources and what was told of them.
type shelf struct {
	mu    sync.Mutex
	books map[string]string
	looks int
	told  []string
}

func (s *shelf) put(uri, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books[uri] = text
}

func (s *shelf) remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books, uri)
}

func (s *shelf) takeTold() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.told
	s.told = nil
	return told
}

func (s *shelf) subscriptions(interval time.Duration) *handlers.Subscriptions {
	return &handlers.Subscriptions{
		Digest: func(_ context.Context, uri string) (string, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.looks++
			text, ok := s.books[uri]
			if !ok {
				return "", errGone
			}
			return text, nil
		},
		Gone: func(err error) bool { return errors.Is(err, errGone) },
		Updated: func(uri string, subscribed bool) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !subscribed {
				uri += " to listens"
			}
			s.told = append(s.told, uri)
		},
		Interval: interval,
		Log:      slog.New(slog.DiscardHandler),
	}
}

func TestOnlyRealChangesOfSubscribedResourcesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1", "b": "1", "c": "1"}}
		subs := s.subscriptions(2 * time.Second)
		go subs.Run(t.Context())
		is.NoErr(subs.Add(t.Context(), "a"))
		is.NoErr(subs.Add(t.Context(), "b"))
		is.True(errors.Is(subs.Add(t.Context(), "none"), errGone)) // cannot be subscribed to
		<-time.After(10 * time.Second)
		is.Equal(len(s.takeTold()), 0) // nothing changed
		s.put("a", "2")
		s.put("c", "2")
		<-time.After(3 * time.Second)
		is.Equal(s.takeTold(), []string{"a"}) // once, and not what nobody asked for
		<-time.After(10 * time.Second)
		is.Equal(len(s.takeTold()), 0)
		subs.Remove("a")
		s.put("a", "3")
		<-time.After(5 * time.Second)
		is.Equal(len(s.takeTold()), 0) // no longer
		s.remove("b")
		<-time.After(5 * time.Second)
		is.Equal(s.takeTold(), []string{"b"}) // that it is gone, once
		s.put("b", "4")
		<-time.After(5 * time.Second)
		is.Equal(len(s.takeTold()), 0) // the subscription ended with it
	})
}

func TestALookFindsChangesBeforeTheClockDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1"}}
		subs := s.subscriptions(0)
		go subs.Run(t.Context())
		is.NoErr(subs.Add(t.Context(), "a"))
		synctest.Wait()
		s.put("a", "2")
		subs.Look()
		synctest.Wait()
		is.Equal(s.takeTold(), []string{"a"}) // without an interval too
	})
}

func TestAThousandSubscriptionsCostNoBusyLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{}}
		subs := s.subscriptions(2 * time.Second)
		go subs.Run(t.Context())
		for i := range 1000 {
			uri := fmt.Sprint(i)
			s.put(uri, "x")
			is.NoErr(subs.Add(t.Context(), uri))
		}
		synctest.Wait()
		s.mu.Lock()
		s.looks = 0
		s.mu.Unlock()
		<-time.After(20*time.Second + time.Millisecond)
		s.mu.Lock()
		looks := s.looks
		s.mu.Unlock()
		is.True(looks <= 10*1000) // each once in an interval
		s.put("7", "y")
		<-time.After(2 * time.Second)
		is.True(slices.Equal(s.takeTold(), []string{"7"}))
	})
}

func TestAResourceIsWatchedUntilTheLastWhoWatchesItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1"}}
		subs := s.subscriptions(time.Second)
		go subs.Run(t.Context())
		change := func() []string {
			s.put("a", fmt.Sprint(time.Now()))
			<-time.After(3 * time.Second)
			return s.takeTold()
		}
		first, err := subs.Watch(t.Context(), "a")
		is.NoErr(err)
		second, err := subs.Watch(t.Context(), "a")
		is.NoErr(err)
		is.Equal(change(), []string{"a to listens"})
		is.NoErr(subs.Add(t.Context(), "a"))
		is.Equal(change(), []string{"a"}) // to the session too
		subs.Remove("a")
		first()
		is.Equal(change(), []string{"a to listens"})
		s.remove("a")
		<-time.After(3 * time.Second)
		is.Equal(s.takeTold(), []string{"a to listens"}) // that it is gone
		s.put("a", "new")
		third, err := subs.Watch(t.Context(), "a")
		is.NoErr(err)
		second()                                     // of what is gone
		is.Equal(change(), []string{"a to listens"}) // does not end the new watch
		third()
		is.Equal(len(change()), 0)
	})
}
