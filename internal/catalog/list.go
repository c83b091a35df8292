package catalog

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A list is all entries of one kind, kept up to date with the files.
type list struct {
	*Project
	kind    kind
	tree    *tree     // its folder
	sources []*source // in order: the first that contains the list is used, or else the folder
	file    string    // where it is written when it has changed, absolute; empty to write nothing

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
	decided    []*batch // what the files that decided the parts contained; nil for nothing
	err        error    // instead of the rest; wraps ErrRegistration
	by         [lookups]map[string]*item
	entries    []Entry // sorted by name, never nil
	hash       string  // of the entries
	version    uint64  // how many different lists there had been: with the same one, no client got another
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
	return l.lookAfter(ctx, l.since)
}

// lookAfter waits for a look at the files that begins after since.
func (l *list) lookAfter(ctx context.Context, since func() uint64) (*state, error) {
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
	if m == nil || l.lifetime.isClosed() || slices.ContainsFunc(l.sources, (*source).ran) {
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
	var s *state
	var err error
	if last := l.last.Load(); last == nil || last.by[by][key] == nil {
		s, err = l.look(ctx)
	} else if it := last.by[by][key]; l.stillFrom(last.decided) && it.unchanged() {
		return it, nil
	} else { // what was read just after it was written gets a stamp that shows whether it is unchanged
		s, err = l.lookAfter(ctx, func() uint64 { return l.clock.Add(1) })
	}
	if err != nil {
		return nil, err
	}
	return s.by[by][key], nil
}

// stillFrom reports whether the files that decided the parts of the list contain what they did.
func (l *list) stillFrom(decided []*batch) bool {
	for i, b := range decided {
		if r := l.sources[i]; !r.unchanged() || r.last.Load().batches[l.kind] != b {
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
	s.interfaces, s.entries = noInterfaces, []Entry{}
	for by := range s.by {
		s.by[by] = make(map[string]*item)
	}
	resources := make(map[string]*item)
	if found := s.parts.resources; found != nil {
		for _, it := range found.items {
			if it.entry != nil {
				resources[keyOf(it.entry, byName)] = it
			}
		}
	}
	for _, b := range s.parts.served() {
		if s.err = b.err; s.err != nil {
			s.by, s.entries, s.faults = [lookups]map[string]*item{}, []Entry{}, nil
			break
		}
		s.faults = append(s.faults, b.faults...)
		for _, it := range b.items {
			if s.faults = append(s.faults, it.faults...); it.entry != nil {
				s.add(it, resources, l.root)
			}
		}
	}
	slices.SortStableFunc(s.entries, func(a, b Entry) int { return strings.Compare(keyOf(a, byName), keyOf(b, byName)) })
	if l.kind == kindTool {
		s.interfaces = s.toolInterfaces(l.root)
	}
	var size int
	s.hash, size = digest(s.entries)
	s.faults = append(s.faults, sizeWarnings(rel(l.root, l.dirs[l.kind]), l.kind, len(s.entries), size)...)
	sortFaults(s.faults)
	s.snapshot = kinds[l.kind].view(s)
}

// add adds the entry of an item, unless its name or its address is taken (T-13). That is a fault, except of a template
// that is found beside those that are registered. Names of templates may not be those of the other resources either.
func (s *state) add(it *item, resources map[string]*item, root string) {
	if _, taken := s.by[byName][it.name]; taken && it.usesFallback() {
		it = it.renamed()
	}
	for by := range lookups {
		key := keyOf(it.entry, by)
		first, taken := s.by[by][key]
		if !taken && by == byName {
			first, taken = resources[key]
		}
		if key == "" || !taken {
			continue
		}
		if it.kind != kindTemplate || first.folder != nil {
			s.faults = append(s.faults, clash(it, first, by, root))
		}
		return
	}
	for by := range lookups {
		if key := keyOf(it.entry, by); key != "" {
			s.by[by][key] = it
		}
	}
	s.entries = append(s.entries, it.entry)
}

// A batch is the entries of one kind in one source. It does not change: the same
// batch as before means that nothing has changed.
type batch struct {
	items  []*item // in the order of precedence: of two with the same name the first is kept
	faults []Fault
	err    error // instead of the rest; wraps ErrRegistration
}

// parts are what a list consists of; nil for none. The same parts as before make the same list.
type parts struct {
	main       *batch    // what is registered, or else stored, or else found
	interfaces [2]*batch // resources that are user interfaces: those in ui/, and those of tools
	templates  *batch    // templates that are found, beside those that are registered
	resources  *batch    // found templates with the name of one of these are left out
}

// served are those whose entries are in the list, in the order of precedence.
func (p parts) served() []*batch {
	all := []*batch{p.main, p.interfaces[0], p.interfaces[1], p.templates}
	return slices.DeleteFunc(all, func(b *batch) bool { return b == nil })
}

// noInterfaces are the user interfaces of tools that have none.
var noInterfaces = &batch{}

// ask returns the parts of the list as the files are now, and what the files that decided them
// contain of it.
func (l *list) ask(a ask) (now parts, decided []*batch) {
	stored := false
	for len(decided) < len(l.sources) && now.main == nil {
		r := l.sources[len(decided)]
		now.main, stored = r.at(a).batches[l.kind], r.stores
		decided = append(decided, now.main)
	}
	registered := now.main != nil
	switch {
	case registered && now.main.err != nil:
	case l.kind == kindTemplate && !registered:
		now.addFound(l.tree.at(a))
	case l.kind == kindTemplate && !stored && len(now.main.items) > 0: // the others are served as well
		if last := l.sources[len(l.sources)-1]; last.stores {
			now.templates = last.at(a).batches[l.kind]
			decided = append(append(decided, make([]*batch, len(l.sources)-len(decided)-1)...), now.templates)
		}
		if now.templates == nil {
			now.addFound(l.tree.at(a))
		}
	case !registered:
		now.main = l.tree.at(a).batches[l.kind]
	}
	if l.kind == kindResource && (!registered || l.lacksInterfaces(now.main, stored)) {
		now.interfaces = [2]*batch{l.interfaces.at(a).batches[l.kind], l.lists[kindTool].at(a).interfaces}
	}
	return now, decided
}

func (p *parts) addFound(s *records) {
	p.templates, p.resources = s.batches[kindTemplate], s.batches[kindResource]
}

// lacksInterfaces reports whether the user interfaces of the project are added to resources that
// are registered or stored. They are not if there are some already. For a stored list, there must
// be the file in which the Bash program kept them.
func (l *list) lacksInterfaces(b *batch, stored bool) bool {
	isInterface := func(it *item) bool { return it.entry != nil && IsInterface(it.entry.address()) }
	if b.err != nil || slices.ContainsFunc(b.items, isInterface) {
		return false
	}
	if stored {
		_, err := os.Lstat(filepath.Join(l.registryDir, "ui-resources.json"))
		return err == nil
	}
	return true
}

// toolInterfaces returns the user interfaces of the tools in the list.
func (s *state) toolInterfaces(root string) *batch {
	var items []*item
	for _, e := range s.entries {
		t := e.(*Tool)
		if t.UI == nil {
			continue
		}
		dir := filepath.Join(t.Dir, "ui")
		c := candidate{path: dir, name: filepath.Base(t.Dir), fallbackName: rel(root, dir), file: &file{}, alone: true}
		items = append(items, &item{candidate: c, kind: kindResource, entry: t.UI})
	}
	if len(items) == 0 {
		return noInterfaces
	}
	return &batch{items: items}
}
