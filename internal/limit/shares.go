package limit

import (
	"errors"
	"fmt"
	"sync"
)

// ErrFull is the error when too much is taken.
var ErrFull = errors.New("too many")

// Shares bound how much may be taken at a time, by all callers together and by each.
type Shares struct {
	of        string
	all, each int // each is for callers who are told apart

	mu    sync.Mutex // guards what follows
	taken int
	by    map[string]int // callers who are told apart and have taken something
}

// NewShares returns shares of a number of what is named in the plural, and how much of that one caller may take.
func NewShares(of string, all, each int) *Shares {
	return &Shares{of: of, all: all, each: each, by: map[string]int{}}
}

// Take takes n for a caller, "" if callers are not told apart. The error is ErrFull if there is not enough.
func (s *Shares) Take(caller string, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.taken+n > s.all:
		return fmt.Errorf("%w %s: at most %d", ErrFull, s.of, s.all)
	case caller != "" && s.by[caller]+n > s.each:
		return fmt.Errorf("%w %s: at most %d of one caller", ErrFull, s.of, s.each)
	}
	s.taken += n
	if caller != "" {
		s.by[caller] += n
	}
	return nil
}

// Free gives back n of a caller.
func (s *Shares) Free(caller string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken -= n
	if caller == "" {
		return
	}
	if s.by[caller] -= n; s.by[caller] == 0 {
		delete(s.by, caller)
	}
}
