package project

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A catalog is a list of the project, kept up to date with its files.
type catalog[T Entry] struct {
	root      string
	folder    string        // of its entries, as faults name it
	since     func() uint64 // returns the time after which the answer to a question asked now must have been found
	sources   []source      // in order: the first that returns a batch is used
	store     *store        // where the list is written when it has changed; nil to write nothing
	watched   *atomic.Bool  // the watch calls keep
	logger    *slog.Logger
	*lifetime // of the project

	mu   sync.Mutex               // serializes looks
	last atomic.Pointer[state[T]] // nil before the first look

	keeping sync.Mutex // guards kept and store.err
	kept    *state[T]  // the state that was written last
}

// A state is the result of one look. It does not change.
type state[T Entry] struct {
	batch    *batch // that it was built from
	source   int    // that gave the batch
	by       [lookups]map[string]located[T]
	snapshot Snapshot[T]
}

// A located value is an entry of the list, under its name in the list, and the item that it came
// from.
type located[T Entry] struct {
	value T
	foundItem
}

// fresh returns the list as the files are now. Only what changed since the last time is read.
// Concurrent callers share one look, but never one that began before they called.
func (c *catalog[T]) fresh(ctx context.Context) (Snapshot[T], error) {
	s, err := c.look(ctx)
	if err != nil {
		return Snapshot[T]{}, err
	}
	return s.snapshot, nil
}

// find finds an entry to use it. As long as the entry's own folder, file and metadata are
// unchanged, only these are checked; otherwise all files are, so an entry that was just added or
// changed is found as it is now.
func (c *catalog[T]) find(ctx context.Context, by lookup, key string) (loc located[T], found bool, err error) {
	if last := c.last.Load(); last != nil {
		if loc, found := last.by[by][key]; found && c.stillFrom(last.source) && loc.current() {
			return loc, true, nil
		}
	}
	s, err := c.look(ctx)
	if err != nil {
		return loc, false, err
	}
	loc, found = s.by[by][key]
	return loc, found, nil
}

// stillFrom reports whether the list would still come from the source with an index.
func (c *catalog[T]) stillFrom(index int) bool {
	return !slices.ContainsFunc(c.sources[:index+1], func(src source) bool { return !src.same() })
}

// look waits for a look at the files that begins after the call.
func (c *catalog[T]) look(ctx context.Context) (*state[T], error) {
	s, err := await(ctx, c.lifetime, func() *state[T] { return c.at(ask{since: c.since()}) })
	if err != nil {
		return nil, err
	}
	return s, s.batch.err
}

// at asks the sources.
func (c *catalog[T]) at(a ask) *state[T] {
	s := c.update(a)
	if !c.watched.Load() {
		c.keep()
	}
	return s
}

// keep writes the list unless it is what was written last.
func (c *catalog[T]) keep() {
	if c.store == nil {
		return
	}
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if c.isClosed() {
		return
	}
	if now := c.last.Load(); now != nil && now != c.kept && now.batch.err == nil {
		save(c.store, now.snapshot.Items)
		c.kept = now
	}
}

func (c *catalog[T]) update(a ask) *state[T] {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.last.Load()
	var none T
	now := &state[T]{}
	for i, src := range c.sources {
		if now.source, now.batch = i, src.batch(none.kind(), a); now.batch != nil {
			break
		}
	}
	if before != nil && before.batch == now.batch {
		return before
	}
	if c.isClosed() {
		now.batch = &batch{err: ErrClosed} // what was found may not be all
		return now
	}
	if now.batch.err == nil {
		now.gather(c.root, c.folder)
	}
	c.last.Store(now)
	c.report(before, now)
	return now
}

// gather makes the list.
func (s *state[T]) gather(root, folder string) {
	s.by[byName] = make(map[string]located[T], len(s.batch.items))
	s.by[byAddress] = make(map[string]located[T]) // most kinds have none
	s.snapshot.Items = []T{}
	s.snapshot.Faults = slices.Clone(s.batch.faults)
	for _, h := range s.batch.items {
		s.snapshot.Faults = append(s.snapshot.Faults, h.faults...)
		if h.entry == nil {
			continue
		}
		loc := located[T]{h.entry.(T), h}
		if _, taken := s.by[byName][h.name]; taken && h.usesFallback() {
			loc.value = renamed(loc.value, h.fallbackName)
		}
		if fault, taken := s.clash(loc, root); taken {
			s.snapshot.Faults = append(s.snapshot.Faults, fault)
			continue
		}
		for by := range s.by {
			if key := loc.value.key(lookup(by)); key != "" {
				s.by[by][key] = loc
			}
		}
		s.snapshot.Items = append(s.snapshot.Items, loc.value)
	}
	slices.SortStableFunc(s.snapshot.Items, func(a, b T) int { return strings.Compare(a.key(byName), b.key(byName)) })
	var size int
	s.snapshot.Hash, size = digest(s.snapshot.Items)
	s.snapshot.Faults = append(s.snapshot.Faults, sizeWarnings(folder, s.snapshot.Items, size)...)
	sortFaults(s.snapshot.Faults)
}
