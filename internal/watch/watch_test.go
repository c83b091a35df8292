package watch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/watch"
)

var errGone = errors.New("gone")

// A shelf holds books, as resources, and counts the looks at them.
type shelf struct {
	mu     sync.Mutex
	books  map[string]string
	slow   map[string]time.Duration // how long it takes to read some
	reads  map[string]int
	stamps int
	atWork int
	most   int
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

func (s *shelf) read(uri string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads[uri]
}

func (s *shelf) working() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.atWork
}

// dawdle makes reading a book take so long.
func (s *shelf) dawdle(uri string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow[uri] = d
}

// digest takes its time with slow books, until ctx ends.
func (s *shelf) digest(ctx context.Context, uri string) (string, error) {
	s.mu.Lock()
	s.reads[uri]++
	s.atWork++
	s.most = max(s.most, s.atWork)
	slow := s.slow[uri]
	s.mu.Unlock()
	var err error
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atWork--
	text, ok := s.books[uri]
	if !ok {
		err = errGone
	}
	return text, err
}

func (s *shelf) stamp(uri string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamps++
	return s.books[uri]
}

// changes returns the stamp of a book.
func (s *shelf) changes(uri string) watch.Changes {
	return watch.Changes{Stamp: func() string { return s.stamp(uri) }}
}

func newShelf() *shelf {
	return &shelf{books: map[string]string{}, slow: map[string]time.Duration{}, reads: map[string]int{}}
}

// options returns the options of a watcher that looks at a shelf each second.
func (s *shelf) options() watch.Options {
	return watch.Options{
		Digest:   s.digest,
		Gone:     func(err error) bool { return errors.Is(err, errGone) },
		Interval: time.Second,
		Log:      slog.New(slog.DiscardHandler),
	}
}

// A reader counts the changes that it is notified of.
type reader struct {
	mu    sync.Mutex
	times int
	gone  int
}

func (r *reader) changed(gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times++
	if gone {
		r.gone++
	}
}

func (r *reader) told() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.times
	r.times = 0
	return n
}

// in runs a test in fake time, with a running watcher.
func in(t *testing.T, change func(*shelf, *watch.Options), f func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		o := s.options()
		if change != nil {
			change(s, &o)
		}
		w := watch.New(o)
		ctx, end := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { w.Run(ctx) })
		f(t, is.New(t), s, w)
		end()
		running.Wait()
		is.New(t).Equal(s.working(), 0) // Run waits for the looks
	})
}

func TestManyWhoWatchAResourceShareItsLooks(t *testing.T) {
	in(t, func(s *shelf, _ *watch.Options) { s.dawdle("a", 10*time.Millisecond) },
		func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
			s.put("a", "1")
			readers := make([]reader, 100)
			var entering sync.WaitGroup
			for i := range readers {
				entering.Go(func() {
					_, err := w.Watch(t.Context(), "a", readers[i].changed)
					is.NoErr(err)
				})
			}
			entering.Wait()
			is.Equal(s.read("a"), 1) // all that began at the same time
			<-time.After(10*time.Second + 500*time.Millisecond)
			is.True(s.read("a") <= 11) // once in an interval, not a hundred times
			s.put("a", "2")
			<-time.After(2 * time.Second)
			for i := range readers {
				is.Equal(readers[i].told(), 1)
			}
		})
}

func TestAChangeThatWasGivenAndIsUndoneBeforeTheNextLookIsReported(t *testing.T) {
	for _, stamps := range []bool{false, true} {
		in(t, func(s *shelf, o *watch.Options) {
			if stamps {
				o.Changes = s.changes
			}
		}, func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
			var r reader
			s.put("a", "1")
			_, err := w.Watch(t.Context(), "a", r.changed)
			is.NoErr(err)
			given := func(text string) { w.Given("a", func() (string, error) { return text, nil }) }

			given("1")
			<-time.After(2 * time.Second)
			is.Equal(r.told(), 0) // what the last look found
			given("2")
			is.Equal(r.told(), 0) // who reads is not told by the reading
			<-time.After(2 * time.Second)
			is.Equal(r.told(), 1) // though it is "1" again
			<-time.After(2 * time.Second)
			is.Equal(r.told(), 0) // once
			w.Given("b", func() (string, error) { t.Error("nobody watches it"); return "", nil })
		})
	}
}

func TestAThousandResourcesAtRestAreNotRead(t *testing.T) {
	in(t, func(s *shelf, o *watch.Options) { o.Changes = s.changes },
		func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
			var r reader
			for i := range 1000 {
				s.put(fmt.Sprint(i), "x")
				_, err := w.Watch(t.Context(), fmt.Sprint(i), r.changed)
				is.NoErr(err)
			}
			s.mu.Lock()
			s.stamps = 0
			s.mu.Unlock()
			<-time.After(10*time.Second + 500*time.Millisecond)
			reads := 0
			for i := range 1000 {
				reads += s.read(fmt.Sprint(i))
			}
			is.Equal(reads, 1000) // each once, when somebody began to watch it
			s.mu.Lock()
			is.True(s.stamps <= 10*1000+1000) // each once in an interval
			s.mu.Unlock()
			s.put("7", "y")
			<-time.After(2 * time.Second)
			is.Equal(r.told(), 1)
		})
}

func TestWhatIsExpensiveToReadTakesATenthOfTheTime(t *testing.T) {
	in(t, func(s *shelf, _ *watch.Options) {
		for i := range 50 {
			s.dawdle(fmt.Sprint(i), 100*time.Millisecond)
		}
	}, func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
		var r reader
		for i := range 50 {
			s.put(fmt.Sprint(i), "x")
			go w.Watch(t.Context(), fmt.Sprint(i), r.changed)
		}
		<-time.After(10 * time.Minute)
		reads := 0
		for i := range 50 {
			is.True(s.read(fmt.Sprint(i)) > 5) // none is forgotten
			reads += s.read(fmt.Sprint(i))
		}
		spent := time.Duration(reads) * 100 * time.Millisecond
		is.True(spent < 75*time.Second) // a tenth, and the first looks
	})
}

func TestASlowResourceDelaysNoOther(t *testing.T) {
	in(t, nil, func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
		var r, hanging reader
		for _, uri := range []string{"a", "slow"} {
			s.put(uri, "1")
		}
		_, err := w.Watch(t.Context(), "a", r.changed)
		is.NoErr(err)
		_, err = w.Watch(t.Context(), "slow", hanging.changed)
		is.NoErr(err)
		s.dawdle("slow", time.Hour)
		<-time.After(2 * time.Second)
		is.Equal(s.working(), 1) // it hangs
		for i := range 20 {
			s.put("a", fmt.Sprint("new ", i))
			<-time.After(1500 * time.Millisecond)
			is.Equal(r.told(), 1)
		}
		<-time.After(10 * time.Second)
		is.Equal(s.working(), 0) // its time was over
		s.dawdle("slow", 0)
		s.put("slow", "2")
		<-time.After(6 * time.Minute) // it rests before it is tried again
		is.Equal(hanging.told(), 1)   // it is not given up
	})
}

func TestOnlySoManyResourcesAreReadAtOnce(t *testing.T) {
	in(t, nil, func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
		for i := range 20 {
			s.put(fmt.Sprint(i), "x")
			_, err := w.Watch(t.Context(), fmt.Sprint(i), func(bool) {})
			is.NoErr(err)
			s.dawdle(fmt.Sprint(i), time.Second)
		}
		<-time.After(time.Minute)
		is.Equal(s.most, 4)
	})
}

func TestALookThatNobodyWaitsForIsEnded(t *testing.T) {
	in(t, func(s *shelf, o *watch.Options) { o.Limit = time.Hour },
		func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
			s.put("a", "1")
			var r reader
			release, err := w.Watch(t.Context(), "a", r.changed)
			is.NoErr(err)
			s.dawdle("a", time.Hour)
			<-time.After(2 * time.Second)
			is.Equal(s.working(), 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err = w.Watch(ctx, "a", r.changed) // who joins it waits no longer than they want to
			is.Equal(err, context.DeadlineExceeded)
			is.Equal(s.working(), 1) // which does not end it for the others
			release()
			synctest.Wait()
			is.Equal(s.working(), 0)
			<-time.After(time.Hour)
			is.Equal(s.read("a"), 2) // nobody looks any more
		})
}

func TestAWatchThatFailsLeavesNothing(t *testing.T) {
	in(t, func(s *shelf, o *watch.Options) { o.Limit = time.Minute },
		func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
			_, err := w.Watch(t.Context(), "none", func(bool) {})
			is.Equal(err, errGone)
			s.put("slow", "1")
			s.dawdle("slow", time.Hour)
			start := time.Now()
			_, err = w.Watch(t.Context(), "slow", func(bool) {})
			is.True(err != nil)
			is.Equal(time.Since(start), time.Minute)
			<-time.After(time.Hour)
			is.Equal(s.read("none"), 1)
			is.Equal(s.read("slow"), 1)
		})
}

func TestWhoBeginsToWatchIsToldOfChangesFromThenOn(t *testing.T) {
	in(t, func(_ *shelf, o *watch.Options) { o.Interval = 0 }, func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
		s.put("a", "1")
		var first, second reader
		release, err := w.Watch(t.Context(), "a", first.changed)
		is.NoErr(err)
		s.put("a", "2")
		_, err = w.Watch(t.Context(), "a", second.changed)
		is.NoErr(err)
		synctest.Wait()
		is.Equal(first.told(), 1) // the look of the second has found it
		is.Equal(second.told(), 0)
		w.Look()
		synctest.Wait()
		is.Equal(first.told()+second.told(), 0)
		s.put("a", "3")
		<-time.After(time.Hour)
		is.Equal(first.told()+second.told(), 0) // without an interval nobody looks
		w.Look()
		synctest.Wait()
		is.Equal(first.told(), 1)
		is.Equal(second.told(), 1)
		release()
		s.remove("a")
		w.Look()
		synctest.Wait()
		is.Equal(first.told(), 0)
		is.Equal(second.told(), 1)
		is.Equal(second.gone, 1)
		s.put("a", "4")
		w.Look()
		synctest.Wait()
		is.Equal(second.told(), 0) // that was the last call
	})
}

func TestAChangeDuringALookIsFoundByTheNext(t *testing.T) {
	in(t, func(_ *shelf, o *watch.Options) { o.Interval = 0 }, func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
		for i := range 5 {
			uri := fmt.Sprint(i)
			s.put(uri, "1")
			_, err := w.Watch(t.Context(), uri, func(bool) {})
			is.NoErr(err)
			s.dawdle(uri, time.Duration(i+1)*time.Millisecond)
		}
		w.Look()
		<-time.After(500 * time.Microsecond)
		is.True(s.working() > 0)
		w.Look() // while some are looked at
		w.Look()
		<-time.After(time.Hour)
		again := 0
		for i := range 5 {
			is.True(s.read(fmt.Sprint(i)) <= 3) // and then there is peace
			if s.read(fmt.Sprint(i)) == 3 {
				again++
			}
		}
		is.True(again >= 4) // all that were at work
	})
}

func TestAPanicOfALookIsItsError(t *testing.T) {
	in(t, func(_ *shelf, o *watch.Options) {
		o.Digest = func(context.Context, string) (string, error) { panic("oh") }
	}, func(t *testing.T, is *is.I, s *shelf, w *watch.Watcher) {
		_, err := w.Watch(t.Context(), "a", func(bool) {})
		is.True(err != nil)
	})
}

func TestNothingIsWatchedAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		s := newShelf()
		s.put("a", "1")
		s.dawdle("a", time.Hour)
		o := s.options()
		o.Limit = 2 * time.Hour
		w := watch.New(o)
		ctx, end := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := w.Watch(t.Context(), "a", func(bool) {})
			failed <- err
		}()
		synctest.Wait()
		end()
		w.Run(ctx)
		is.Equal(s.working(), 0)
		is.True(<-failed != nil)
		_, err := w.Watch(t.Context(), "a", func(bool) {})
		is.Equal(err, watch.ErrClosed)
	})
}
