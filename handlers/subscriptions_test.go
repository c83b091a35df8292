package handlers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

var errGone = errors.New("gone")

// shelf holds resources and the notifications about them.
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

func (s *shelf) tell(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, what)
}

func (s *shelf) takeTold() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.told
	s.told = nil
	return told
}

func (s *shelf) takeLooks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	looks := s.looks
	s.looks = 0
	return looks
}

// watcher returns a watcher whose project is the shelf.
func (s *shelf) watcher(t *testing.T, interval time.Duration) *watch.Watcher {
	w := watch.New(watch.Options{
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
		Gone:     func(err error) bool { return errors.Is(err, errGone) },
		Interval: interval,
		Log:      slog.New(slog.DiscardHandler),
	})
	go w.Run(t.Context())
	return w
}

// subscriptions returns the subscriptions of one session.
func (s *shelf) subscriptions(t *testing.T, w *watch.Watcher) *handlers.Subscriptions {
	subs := &handlers.Subscriptions{
		Watcher: w,
		Updated: s.tell,
	}
	go subs.Run(t.Context())
	return subs
}

func TestOnlyRealChangesOfSubscribedResourcesAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1", "b": "1", "c": "1"}}
		subs := s.subscriptions(t, s.watcher(t, 2*time.Second))
		is.NoErr(subs.Add(t.Context(), "a"))
		is.NoErr(subs.Add(t.Context(), "b"))
		is.True(errors.Is(subs.Add(t.Context(), "none"), errGone)) // cannot be subscribed to
		<-time.After(10 * time.Second)
		is.Equal(len(s.takeTold()), 0) // nothing changed
		s.put("a", "2")
		s.put("c", "2")
		<-time.After(3 * time.Second)
		is.Equal(s.takeTold(), []string{"a"}) // once, and only for subscribed ones
		<-time.After(10 * time.Second)
		is.Equal(len(s.takeTold()), 0)
		subs.Remove("a")
		s.put("a", "3")
		<-time.After(5 * time.Second)
		is.Equal(len(s.takeTold()), 0) // no longer subscribed
		s.remove("b")
		<-time.After(5 * time.Second)
		is.Equal(s.takeTold(), []string{"b"}) // once, that it is gone
		s.put("b", "4")
		<-time.After(5 * time.Second)
		is.Equal(len(s.takeTold()), 0) // the subscription ended too
	})
}

func TestSessionsOfAProjectShareItsWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1"}}
		w := s.watcher(t, 2*time.Second)
		for range 100 {
			is.NoErr(s.subscriptions(t, w).Add(t.Context(), "a"))
		}
		s.takeLooks()
		<-time.After(20*time.Second + time.Millisecond)
		is.True(s.takeLooks() <= 11) // one look per interval, for all of them
		s.put("a", "2")
		<-time.After(3 * time.Second)
		is.Equal(strings.Join(s.takeTold(), ""), strings.Repeat("a", 100))
	})
}

func TestAStuckSessionDoesNotDelayOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1", "b": "1"}}
		w := s.watcher(t, time.Second)
		stuck := s.subscriptions(t, w)
		goOn := make(chan struct{})
		told := 0
		stuck.Updated = func(string) {
			<-goOn
			told++
		}
		other := s.subscriptions(t, w)
		for _, uri := range []string{"a", "b"} {
			is.NoErr(stuck.Add(t.Context(), uri))
			is.NoErr(other.Add(t.Context(), uri))
		}
		for i := range 10 {
			s.put("a", fmt.Sprint("new ", i))
			s.put("b", fmt.Sprint("new ", i))
			<-time.After(2 * time.Second)
			is.Equal(slices.Sorted(slices.Values(s.takeTold())), []string{"a", "b"})
		}
		close(goOn)
		synctest.Wait()
		is.True(told <= 4) // changes in the meantime are reported once
	})
}

func TestTheNumberOfSubscriptionsOfAClientIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{}}
		for i := range 3000 {
			s.put(fmt.Sprint(i), "x")
		}
		w := s.watcher(t, 0)
		subs := s.subscriptions(t, w)
		var entering sync.WaitGroup
		var mu sync.Mutex
		watched := 0
		for i := range 2000 { // subscriptions and listens together, at the same time
			entering.Go(func() {
				var err error
				if i%2 == 0 {
					err = subs.Add(t.Context(), fmt.Sprint(i))
				} else {
					_, err = subs.Watch(t.Context(), fmt.Sprint(i), func() {})
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					watched++
				}
			})
		}
		entering.Wait()
		is.Equal(watched, 1024)
		err := subs.Add(t.Context(), "2999")
		is.True(errors.Is(err, pipeline.ErrInternal))
		is.True(strings.Contains(err.Error(), "at most 1024 resources"))
		is.NoErr(s.subscriptions(t, w).Add(t.Context(), "2999")) // other sessions have their own limit
		for i := range 2000 {
			subs.Remove(fmt.Sprint(i))
		}
		is.NoErr(subs.Add(t.Context(), "2999")) // there is room again
		for range 2000 {
			is.True(subs.Add(t.Context(), "none") != nil) // a failed subscription takes no room
		}
		is.NoErr(subs.Add(t.Context(), "2998"))
		subs = s.subscriptions(t, w)
		for i := range 1024 {
			is.NoErr(subs.Add(t.Context(), fmt.Sprint(i)))
			s.remove(fmt.Sprint(i))
		}
		is.True(subs.Add(t.Context(), "2997") != nil)
		w.Look()
		synctest.Wait()
		is.NoErr(subs.Add(t.Context(), "2997")) // nor does a removed resource
	})
}

func TestTheEndOfASessionEndsItsSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1", "b": "1"}}
		subs := &handlers.Subscriptions{Watcher: s.watcher(t, time.Second), Updated: func(string) {}}
		ctx, end := context.WithCancel(t.Context())
		go subs.Run(ctx)
		is.NoErr(subs.Add(t.Context(), "a"))
		release, err := subs.Watch(t.Context(), "b", func() {})
		is.NoErr(err)
		end()
		synctest.Wait()
		s.takeLooks()
		<-time.After(time.Minute)
		is.Equal(s.takeLooks(), 0) // nothing is watched
		is.True(subs.Add(t.Context(), "a") != nil)
		<-time.After(time.Minute)
		is.True(s.takeLooks() <= 1)
		release()
		subs.Remove("a")
	})
}

// The race detector sees it otherwise.
func TestASessionMayUnsubscribeBeforeItSubscribes(t *testing.T) {
	subs := &handlers.Subscriptions{Updated: func(string) {}}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		subs.Run(ctx)
		close(ended)
	}()
	subs.Remove("book://none")
	end()
	<-ended
}

func TestEveryWatcherOfAResourceHearsOfItUntilItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1"}}
		subs := s.subscriptions(t, s.watcher(t, time.Second))
		change := func() []string {
			s.put("a", fmt.Sprint(time.Now()))
			<-time.After(3 * time.Second)
			return s.takeTold()
		}
		listen := func(name string) (release func()) {
			release, err := subs.Watch(t.Context(), "a", func() { s.tell(name) })
			is.NoErr(err)
			return release
		}
		first, second := listen("first"), listen("second")
		is.Equal(change(), []string{"first", "second"})
		is.NoErr(subs.Add(t.Context(), "a"))
		is.NoErr(subs.Add(t.Context(), "a")) // again, which changes nothing
		is.Equal(change(), []string{"first", "second", "a"})
		subs.Remove("a")
		first()
		is.Equal(change(), []string{"second"})
		s.remove("a")
		<-time.After(3 * time.Second)
		is.Equal(s.takeTold(), []string{"second"}) // that it is gone
		s.put("a", "new")
		third := listen("third")
		second()                              // of a removed resource
		is.Equal(change(), []string{"third"}) // which does not end the new watch
		third()
		is.Equal(len(change()), 0)
	})
}

func TestSubscriptionsAreLoggedAtDebugLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := &shelf{books: map[string]string{"a": "1"}}
		subs := s.subscriptions(t, s.watcher(t, time.Second))
		var out bytes.Buffer
		subs.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		is.NoErr(subs.Add(t.Context(), "a"))
		is.True(subs.Add(t.Context(), "none") != nil)
		s.put("a", "2")
		<-time.After(3 * time.Second)
		subs.Remove("a")
		subs.Remove("a") // no longer watched
		is.Equal(out.String(), "level=DEBUG msg=subscribed uri=a\nlevel=DEBUG msg=\"resource changed\" uri=a\nlevel=DEBUG msg=unsubscribed uri=a\n")
	})
}
