package project

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A list is all entries of one kind, kept up to date with the files.
type list struct {
	*Project
	kind      kind
	tree      *tree              // its folder
	registers []*register        // in order: the first that contains the list is used, or else the folder
	snapshot  func(s *state) any // makes the Snapshot of the kind
	file      string             // where it is written when it has changed, absolute; empty to write nothing

	mu   sync.Mutex            // one look at a time
	last atomic.Pointer[state] // nil before the first look
	hash string                // of the last state without an error
	news uint64                // how often that has changed, the version of that state

	writing  sync.Mutex // guards the fields below
	written  *state     // the last one
	writeErr error      // of the last attempt, which was logged
}

// A state is the result of one look. It does not change.
type state struct {
	parts      parts
	decided    []*batch // what the registers that decided the parts contained; nil for nothing
	err        error    // instead of the rest; wraps ErrRegistration
	by         [lookups]map[string]*item
	entries    []Entry // sorted by name, never nil
	hash       string  // of the entries
	version    uint64  // how many different lists there had been: between two states with the same one, no client got another list
	faults     []Fault // sorted
	interfaces *batch  // the user interfaces of tools
	snapshot   any     // a Snapshot
}

// An ask defines how fresh an answer must be.
type ask struct {
	since uint64 // the files must have been checked after this tick of the project's clock
	idle  bool   // nobody waits for the answer: no script is run for it
}

// look waits for a look at the files that begins after the call. Only what changed since the last
// time is read. Concurrent callers share one look.
func (l *list) look(ctx context.Context) (*state, error) {
	if s := l.current(); s != nil {
		return s, s.err
	}
	return l.lookAt(ctx, l.since)
}

// lookNow is look, but the files are looked at also if no change of them was reported.
func (l *list) lookNow(ctx context.Context) (*state, error) {
	return l.lookAt(ctx, func() uint64 { return l.clock.Add(1) })
}

// lookAt waits for a look at the files that begins after since.
func (l *list) lookAt(ctx context.Context, since func() uint64) (*state, error) {
	s, err := await(ctx, &l.lifetime, func() *state { return l.at(ask{since: since()}) })
	if err != nil {
		return nil, err
	}
	return s, s.err
}

// current returns what the last look found if the system guarantees that nothing has happened since,
// else nil: it does once Watch has looked at all lists after the last event. That takes no look, so it
// is not worth a goroutine that the caller could leave. What register.sh registers may change without an
// event: the script is run again after a while, perhaps for another list.
func (l *list) current() *state {
	m := l.monitor.Load()
	if m == nil || l.lifetime.isClosed() || slices.ContainsFunc(l.registers, (*register).ran) {
		return nil
	}
	if _, sure := m.lastEvent(); !sure {
		return nil
	}
	return l.last.Load()
}

// find finds an entry to use it; nil if there is none. As long as the entry's own folder, file and metadata are
// unchanged, only these are checked; otherwise all files are, so an entry that was just added or
// changed is found as it is now.
func (l *list) find(ctx context.Context, by lookup, key string) (*item, error) {
	look := l.look
	if last := l.last.Load(); last != nil {
		if it := last.by[by][key]; it != nil {
			if l.stillFrom(last.decided) && it.unchanged() {
				return it, nil
			}
			look = l.lookNow // what was read just after it was written gets a stamp that shows whether it is unchanged
		}
	}
	s, err := look(ctx)
	if err != nil {
		return nil, err
	}
	return s.by[by][key], nil
}

// stillFrom reports whether the registers that decided the parts of the list contain what they did.
func (l *list) stillFrom(decided []*batch) bool {
	for i, b := range decided {
		if r := l.registers[i]; !r.unchanged() || r.last.Load().batches[l.kind] != b {
			return false
		}
	}
	return true
}

// at returns the list, and writes it if it has changed.
func (l *list) at(a ask) *state {
	s := l.update(a)
	if !l.watched.Load() {
		l.write()
	}
	return s
}

func (l *list) update(a ask) *state {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.last.Load()
	now := &state{}
	now.parts, now.decided = l.ask(a)
	if before != nil && before.parts == now.parts {
		return before
	}
	if l.lifetime.isClosed() {
		now.err = ErrClosed // what was found may not be all
		return now
	}
	l.gather(now)
	if now.err == nil && (now.hash != l.hash || l.news == 0) {
		l.hash = now.hash
		l.news++
	}
	now.version = l.news
	l.last.Store(now)
	l.report(before, now)
	return now
}

// gather makes the list of its parts.
func (l *list) gather(s *state) {
	items, faults, err := s.parts.join(l.root)
	s.err, s.interfaces, s.faults = err, noInterfaces, slices.Clone(faults)
	s.by[byName] = make(map[string]*item, len(items))
	s.by[byAddress] = make(map[string]*item) // most kinds have none
	s.entries = make([]Entry, 0, len(items))
	for _, it := range items {
		s.faults = append(s.faults, it.faults...)
		if it.entry == nil {
			continue
		}
		if _, taken := s.by[byName][it.name]; taken && it.usesFallback() {
			it = it.renamed()
		}
		if fault, taken := s.clash(it, l.root); taken {
			s.faults = append(s.faults, fault)
			continue
		}
		for by := range s.by {
			if key := keyOf(it.entry, lookup(by)); key != "" {
				s.by[by][key] = it
			}
		}
		s.entries = append(s.entries, it.entry)
	}
	slices.SortStableFunc(s.entries, func(a, b Entry) int { return strings.Compare(keyOf(a, byName), keyOf(b, byName)) })
	if l.kind == kindTool {
		s.interfaces = s.toolInterfaces(l.root)
	}
	var size int
	s.hash, size = digest(s.entries)
	s.faults = append(s.faults, sizeWarnings(rel(l.root, l.dirs[l.kind]), l.kind, len(s.entries), size)...)
	sortFaults(s.faults)
	s.snapshot = l.snapshot(s)
}
