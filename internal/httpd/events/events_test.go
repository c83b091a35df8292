package events_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/httpd/events"
)

// overhead is the memory of an event without its data.
const overhead = 128

func next(t *testing.T, r *events.Reader) (id, data string) {
	t.Helper()
	e, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return e.ID, string(e.Data)
}

func add(t *testing.T, s *events.Stream, data ...string) {
	t.Helper()
	for _, d := range data {
		if err := s.Append([]byte(d)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStreamIsReadInOrderUntilItsEnd(t *testing.T) {
	is := is.New(t)
	s := events.NewLog(1<<20, 1<<20).Open()
	add(t, s, "a", "b")
	s.End()
	r := s.Read()
	id, data := next(t, r)
	is.Equal(id, "1-1")
	is.Equal(data, "a")
	_, data = next(t, r)
	is.Equal(data, "b")
	_, err := r.Next(t.Context())
	is.Equal(err, io.EOF)
}

func TestTheLastEventIsKnownToBeTheLast(t *testing.T) {
	is := is.New(t)
	s := events.NewLog(1<<20, 1<<20).Open()
	add(t, s, "a")
	is.NoErr(s.Finish([]byte("b")))
	r := s.Read()
	a, err := r.Next(t.Context())
	is.NoErr(err)
	b, err := r.Next(t.Context())
	is.NoErr(err)
	is.True(!a.Last)
	is.True(b.Last)
}

func TestANewReaderBeginsWithWhatWasNotRead(t *testing.T) {
	is := is.New(t)
	s := events.NewLog(1<<20, 1<<20).Open()
	add(t, s, "a", "b")
	r := s.Read()
	next(t, r)
	next(t, r)
	r.Close()
	_, data := next(t, s.Read())
	is.Equal(data, "b") // it was handed out, and may not have arrived
}

func TestAStreamIsResumedBehindTheEventThatTheClientHas(t *testing.T) {
	is := is.New(t)
	l := events.NewLog(1<<20, 1<<20)
	s, other := l.Open(), l.Open()
	add(t, other, "of another stream")
	add(t, s, "a", "b", "c")
	r := s.Read()
	next(t, r)
	next(t, r)
	r.Close() // the connection is gone, and b with it
	same, resumed, err := l.Resume("1-1")
	is.NoErr(err)
	is.Equal(same, s)
	_, data := next(t, resumed)
	is.Equal(data, "b")
	_, data = next(t, resumed)
	is.Equal(data, "c")
	_, fresh, err := l.Resume(s.First())
	is.NoErr(err)
	_, data = next(t, fresh)
	is.Equal(data, "a") // from the beginning
	_, err = resumed.Next(t.Context())
	is.Equal(err, events.ErrTaken)
}

func TestAnEventThatIsNotKnownIsRefused(t *testing.T) {
	l := events.NewLog(1<<20, 1<<20)
	s := l.Open()
	add(t, s, "a")
	for _, id := range []string{"", "1", "1-x", "1--1", "1-2", "2-0", "x-1", "1-99999999999999999999"} {
		if _, _, err := l.Resume(id); !errors.Is(err, events.ErrUnknown) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestAReaderWaitsForWhatComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := events.NewLog(1<<20, 1<<20)
		s := l.Open()
		got := make(chan string)
		r := s.Read()
		go func() {
			for {
				e, err := r.Next(t.Context())
				if err != nil {
					got <- err.Error()
					return
				}
				got <- string(e.Data)
			}
		}()
		synctest.Wait()
		add(t, s, "a")
		is.Equal(<-got, "a")
		l.Close()
		is.Equal(<-got, "EOF") // the session has ended
		is.Equal(s.Append([]byte("b")), events.ErrClosed)
	})
}

func TestAReaderEndsWithItsRequest(t *testing.T) {
	is := is.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := events.NewLog(1, 1).Open().Read().Next(ctx)
	is.Equal(err, context.Canceled)
}

func TestWhoeverWritesWaitsForTheReaderWhenTheLogIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		l := events.NewLog(2*(overhead+1), 2*(overhead+1))
		s := l.Open()
		r := s.Read()
		add(t, s, "a", "b")
		written := false
		go func() {
			_ = s.Append([]byte("c"))
			written = true
		}()
		synctest.Wait()
		is.True(!written) // there is no room
		next(t, r)
		synctest.Wait()
		is.True(!written) // a may still be under way
		next(t, r)
		synctest.Wait()
		is.True(written) // a was read
		_, data := next(t, r)
		is.Equal(data, "c")
		is.Equal(l.Held(), 2*(overhead+1))
	})
}

func TestNobodyWaitsForAStreamThatIsNotReadAndItsOldestEventsAreLost(t *testing.T) {
	is := is.New(t)
	l := events.NewLog(2*(overhead+1), overhead+1)
	s := l.Open()
	r := s.Read()
	add(t, s, "a", "b")
	next(t, r)
	r.Close()
	add(t, s, "c", "d")
	_, _, err := l.Resume("1-1")
	is.True(errors.Is(err, events.ErrUnknown)) // b is lost, and that is not hidden
	_, again, err := l.Resume("1-2")
	is.NoErr(err)
	_, data := next(t, again)
	is.Equal(data, "c")
}

func TestWhatWasReadIsKeptUpToItsLimit(t *testing.T) {
	is := is.New(t)
	l := events.NewLog(1<<20, 2*(overhead+1))
	s := l.Open()
	r := s.Read()
	add(t, s, "a", "b", "c", "d", "e")
	for range 5 {
		next(t, r)
	}
	is.Equal(l.Held(), 3*(overhead+1)) // c and d were read, e may be under way
	s.End()
	s.Drop()
	is.Equal(l.Held(), 0)
}

func TestAnEventLargerThanTheLogIsKeptUntilItIsRead(t *testing.T) {
	is := is.New(t)
	l := events.NewLog(overhead, overhead)
	s := l.Open()
	r := s.Read()
	add(t, s, strings.Repeat("x", 1000))
	_, data := next(t, r)
	is.Equal(len(data), 1000)
	s.End()
	_, err := r.Next(t.Context())
	is.Equal(err, io.EOF)
	is.Equal(l.Held(), 0)
}

func TestManySmallEventsAreWrittenAndReadInTheTimeThatTheyTake(t *testing.T) {
	is := is.New(t)
	const many = 300_000
	l := events.NewLog(many*overhead/2, many*overhead/10)
	s := l.Open()
	for range many { // nobody reads, so half of them are lost
		is.NoErr(s.Append(nil))
	}
	r := s.Read()
	for range many / 2 {
		next(t, r)
	}
	is.True(l.Held() <= many*overhead/10+overhead)
}

func TestTheStreamThatWasNotReadForTheLongestTimeLosesItsEventsFirst(t *testing.T) {
	is := is.New(t)
	l := events.NewLog(3*(overhead+1), 1)
	old, late := l.Open(), l.Open()
	add(t, late, "a")
	add(t, old, "b", "c")
	r := old.Read()
	r.Close()
	add(t, old, "d")
	_, _, err := l.Resume(late.First())
	is.True(errors.Is(err, events.ErrUnknown))
	_, data := next(t, old.Read())
	is.Equal(data, "b")
}

func TestNothingIsAddedToAStreamThatHasEnded(t *testing.T) {
	is := is.New(t)
	l := events.NewLog(2*(overhead+1), 1)
	s := l.Open()
	s.End()
	for range 3 {
		is.Equal(s.Append([]byte("a")), events.ErrClosed)
	}
	is.Equal(l.Held(), 0)
}

func TestAppendWaitsForRoomNoLongerWhenItsStreamEnds(t *testing.T) {
	is := is.New(t)
	synctest.Test(t, func(t *testing.T) {
		l := events.NewLog(overhead+1, 1)
		s := l.Open()
		defer s.Read().Close()
		add(t, s, "a")
		done := make(chan error, 1)
		go func() { done <- s.Append([]byte("b")) }()
		synctest.Wait()
		s.End()
		is.Equal(<-done, events.ErrClosed)
	})
}
