package serving

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

// pipe returns the two ends of a real pipe.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func TestWhatIsReadArrivesWholeAndInOrder(t *testing.T) {
	is := is.New(t)
	r, w := pipe(t)
	s := NewSpill(w, 1<<20)
	var want strings.Builder
	for i := range 1000 {
		line := fmt.Sprintf("line %d\n", i)
		want.WriteString(line)
		io.WriteString(s, line)
	}
	s.Close(time.Minute)
	w.Close()
	got, err := io.ReadAll(r)
	is.NoErr(err)
	is.Equal(string(got), want.String())
}

func TestOfALineThatIsTooLongNothingIsWritten(t *testing.T) {
	is := is.New(t)
	r, w := pipe(t)
	s := NewSpill(w, 10)
	io.WriteString(s, strings.Repeat("x", 1<<20)+"\n") // for a pipe too
	go func() { s.Close(time.Minute); w.Close() }()
	got, err := io.ReadAll(r)
	is.NoErr(err)
	is.Equal(string(got), "mcp-bash: 1 lines for stderr were dropped: nobody read it\n")
}

func TestWhoWritesDoesNotWaitForAPipeThatNobodyReads(t *testing.T) {
	is := is.New(t)
	r, w := pipe(t)
	s := NewSpill(w, 64<<10)
	line := strings.Repeat("x", 99) + "\n"
	const each, writers = 10_000, 8 // 8 MB
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				io.WriteString(s, line)
			}
		})
	}
	all.Wait()
	s.Close(10 * time.Millisecond) // nor does the end

	// Somebody reads again: every line is there or counted.
	go func() { s.Close(time.Minute); w.Close() }()
	got, err := io.ReadAll(r)
	is.NoErr(err)
	n, dropped := 0, 0
	for l := range strings.Lines(string(got)) {
		if l == line {
			n++
			continue
		}
		var more int
		_, err := fmt.Sscanf(l, "mcp-bash: %d lines for stderr were dropped: nobody read it\n", &more)
		is.NoErr(err) // a whole line, or how many are missing
		dropped += more
	}
	is.True(dropped > 0)
	is.Equal(n+dropped, each*writers)
}

// A reader that takes its time, one write at a time.
type slow struct{ taken chan string }

func (s slow) Write(p []byte) (int, error) {
	s.taken <- string(p)
	return len(p), nil
}

func TestWhatWasDroppedIsToldInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		to := slow{make(chan string)}
		s := NewSpill(to, 10)
		io.WriteString(s, "first\n")
		synctest.Wait() // it is being written
		io.WriteString(s, "kept, ")
		io.WriteString(s, "too long\nand\n")
		io.WriteString(s, "a\n") // would have room, but would stand before what is told
		is.Equal(<-to.taken, "first\n")
		is.Equal(<-to.taken, "kept, \nmcp-bash: 3 lines for stderr were dropped: nobody read it\n")
		io.WriteString(s, "last\n")
		is.Equal(<-to.taken, "last\n")
		s.Close(time.Second)
	})
}

func TestClosingWaitsNoLongerThanItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		to := slow{make(chan string)}
		s := NewSpill(to, 10)
		io.WriteString(s, "first\n")
		begun := time.Now()
		s.Close(time.Second)
		is.Equal(time.Since(begun), time.Second)
		is.Equal(<-to.taken, "first\n") // the rest of the test: the goroutine ends
	})
}

func TestNothingIsWrittenAfterClosing(t *testing.T) {
	is := is.New(t)
	var to strings.Builder
	s := NewSpill(&to, 10)
	io.WriteString(s, "first\n")
	s.Close(time.Minute)
	io.WriteString(s, "late\n")
	s.Close(time.Minute)
	is.Equal(to.String(), "first\n")
}
