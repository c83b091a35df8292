package catalog

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A source is a file that lists entries: server.d/register.json, what register.sh writes, or a
// list in .registry/.
type source struct {
	*Project
	path   string // absolute
	stores bool   // it is a list in .registry/, which is served without checking the files of its entries
	// read reads the file anew. before is what it contained; nil the first time.
	read func(before *records, a ask) *records

	mu    sync.Mutex              // one look at a time
	last  atomic.Pointer[records] // nil before the first look
	began uint64                  // when the last look began
}

// records are what a source contains.
type records struct {
	from    dep               // the file
	batches [kindCount]*batch // nil for a list that it does not contain

	ran    time.Time // when register.sh ended, as it may take longer than this is valid; zero if it was not run
	output []byte    // of register.sh; nil if it failed
}

// at returns the contents as the files are now.
func (r *source) at(a ask) *records {
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
func (r *source) unchanged() bool {
	last := r.last.Load()
	return last != nil && last.from.current() && !last.expired()
}

// ran reports whether what it contains is the output of register.sh.
func (r *source) ran() bool {
	last := r.last.Load()
	return last != nil && !last.ran.IsZero()
}

// expired reports whether register.sh has to be run again.
func (r *records) expired() bool { return !r.ran.IsZero() && time.Since(r.ran) > hookTTL }

// entriesCurrent reports whether all files that the entries were built from are unchanged.
func (r *records) entriesCurrent() bool {
	for _, b := range r.batches {
		if b != nil && slices.ContainsFunc(b.items, func(it *item) bool { return !it.unchanged() }) {
			return false
		}
	}
	return true
}

// fail makes faults the answer of all lists; cause is why the file cannot be read at all, nil if it can.
func (r *records) fail(cause error, faults ...Fault) {
	err := failed(faults...)
	err.cause = cause
	for k := range r.batches {
		r.batches[k] = &batch{err: err}
	}
}
