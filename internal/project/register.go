package project

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A register is a file that lists entries: server.d/register.json, what register.sh writes, or a
// list in .registry/.
type register struct {
	*Project
	path   string // absolute
	stores bool   // it is a list in .registry/, which is served without checking the files of its entries
	// read reads the file anew. before is what it contained; nil the first time.
	read func(before *registered, a ask) *registered

	mu    sync.Mutex                 // one look at a time
	last  atomic.Pointer[registered] // nil before the first look
	began uint64                     // when the last look began
}

// registered is the contents of a register.
type registered struct {
	from    dep               // the file
	batches [kindCount]*batch // nil for a list that it does not contain

	ran    time.Time // when register.sh ended, as it may take longer than this is valid; zero if it was not run
	output []byte    // of register.sh; nil if it failed
}

// at returns the contents as the files are now.
func (r *register) at(a ask) *registered {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last.Load()
	expired := last == nil || !a.idle && last.expired()
	if !expired && r.began > a.since {
		return last
	}
	r.began = r.clock.Add(1)
	if expired || !last.from.current() || !r.stores && !last.entriesCurrent() {
		last = r.read(last, a)
		r.last.Store(last)
	}
	return last
}

// unchanged reports whether at would return the same, apart from changes of single entries, which
// these detect themselves. It only checks the file.
func (r *register) unchanged() bool {
	last := r.last.Load()
	return last != nil && last.from.current() && !last.expired()
}

// ran reports whether what it contains is the output of register.sh.
func (r *register) ran() bool {
	last := r.last.Load()
	return last != nil && !last.ran.IsZero()
}

// expired reports whether register.sh has to be run again.
func (r *registered) expired() bool { return !r.ran.IsZero() && time.Since(r.ran) > hookTTL }

// entriesCurrent reports whether all files that the entries were built from are unchanged.
func (r *registered) entriesCurrent() bool {
	for _, b := range r.batches {
		if b != nil && slices.ContainsFunc(b.items, func(it *item) bool { return !it.unchanged() }) {
			return false
		}
	}
	return true
}

// fail makes an error the answer of all lists.
func (r *registered) fail(err error) {
	for k := range r.batches {
		r.batches[k] = &batch{err: err}
	}
}
