package project

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// ErrUnknownTool is what Tool returns for a name that no tool has.
var ErrUnknownTool = errors.New("unknown tool")

// A Snapshot is what was found at one time. It is shared by all who asked for it: read it, do not
// change it.
type Snapshot struct {
	Tools  []*Tool // sorted by name, never nil
	Hash   string  // of all that clients see of the tools: equal hashes, equal lists
	Faults []Fault // sorted by file and line
}

// Tools tells the tools as the files are now, and what is wrong with the others. Only what
// changed since the last time is read. Callers at the same time share one scan, but never one that
// began before they called. The only error is that ctx ended first, which does not end the scan.
func (p *Project) Tools(ctx context.Context) (Snapshot, error) {
	s, err := p.tools.fresh(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	return s.snapshot, nil
}

// Tool finds the tool with a name, to call it. As long as its own folder, script and metadata
// are what they were, that takes a look at each of them and no more; else it is a scan as in
// Tools, so a tool that was added or changed a moment ago is found as it is now. The error is
// ErrUnknownTool, or that ctx ended.
func (p *Project) Tool(ctx context.Context, name string) (*Tool, error) {
	if last := p.tools.last.Load(); last != nil {
		if e, ok := last.byName[name]; ok && e.current() {
			return e.item.tool, nil
		}
	}
	s, err := p.tools.fresh(ctx)
	if err != nil {
		return nil, err
	}
	e, ok := s.byName[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownTool, name)
	}
	return e.item.tool, nil
}

// A catalog keeps what the last scan found.
type catalog struct {
	loader
	dir    string // tools/, absolute
	logger *slog.Logger

	flight singleflight.Group
	begun  atomic.Uint64         // scans that have begun
	last   atomic.Pointer[state] // nil before the first
}

// A state is what one scan found. It does not change.
type state struct {
	number   uint64 // of the scan
	folders  map[string]*folder
	byName   map[string]entry
	snapshot Snapshot
}

// An entry is an item and the folder it is in.
type entry struct {
	item   *item
	folder *folder
}

// path is the script's, absolute.
func (e entry) path() string { return filepath.Join(e.folder.dir, e.item.file.name) }

// current reports whether nothing came into the folder or left it, and the script and all that the
// item was made from are as they were.
func (e entry) current() bool {
	return dep{e.folder.dir, e.folder.stamp}.current() &&
		dep{e.path(), e.item.file.stamp}.current() &&
		e.item.depsCurrent()
}

// fresh is the state as found by a scan that began after the call.
func (c *catalog) fresh(ctx context.Context) (*state, error) {
	begun := c.begun.Load()
	for {
		// The scan takes no context: who leaves early must not end it for the others.
		done := c.flight.DoChan("", func() (any, error) { return c.scan(), nil })
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case r := <-done:
			if s := r.Val.(*state); s.number > begun {
				return s, nil
			}
		}
	}
}

// scan looks at the files. Only one runs at a time.
func (c *catalog) scan() *state {
	number := c.begun.Add(1)
	before := c.last.Load()
	s := scan{loader: c.loader, dir: c.dir}
	if before != nil {
		s.prev = before.folders
	}
	folders := s.walk()
	now := &state{number: number}
	if before != nil && unchanged(before, folders) {
		now.folders, now.byName, now.snapshot = before.folders, before.byName, before.snapshot
	} else {
		now.gather(c.load(folders), folders)
		c.report(before, now)
	}
	c.last.Store(now)
	return now
}

// unchanged reports whether a scan found nothing but what it took from the one before.
func unchanged(before *state, folders []*folder) bool {
	return len(folders) == len(before.folders) &&
		!slices.ContainsFunc(folders, func(f *folder) bool { return before.folders[f.dir] != f })
}

// load reads the items that are new or changed, and gives all.
func (c *catalog) load(folders []*folder) []entry {
	var all, todo []entry
	for _, f := range folders {
		for _, it := range f.items {
			e := entry{it, f}
			if all = append(all, e); !it.loaded {
				todo = append(todo, e)
			}
		}
	}
	parallel(len(todo), func(i int) { c.loader.load(todo[i].folder.dir, todo[i].item) })
	return all
}

// gather makes the snapshot.
func (s *state) gather(entries []entry, folders []*folder) {
	s.folders = make(map[string]*folder, len(folders))
	for _, f := range folders {
		s.folders[f.dir] = f
		s.snapshot.Faults = append(s.snapshot.Faults, f.faults...)
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.folder.dir, b.folder.dir), strings.Compare(a.item.file.name, b.item.file.name))
	})
	s.byName = make(map[string]entry, len(entries))
	s.snapshot.Tools = []*Tool{}
	for _, e := range entries {
		s.snapshot.Faults = append(s.snapshot.Faults, e.item.faults...)
		if e.item.tool == nil {
			continue
		}
		if first, taken := s.byName[e.item.tool.Name]; taken {
			s.snapshot.Faults = append(s.snapshot.Faults, duplicate(first, e))
			continue
		}
		s.byName[e.item.tool.Name] = e
		s.snapshot.Tools = append(s.snapshot.Tools, e.item.tool)
	}
	slices.SortFunc(s.snapshot.Tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	sum := sha256.New()
	for _, t := range s.snapshot.Tools {
		listed := s.byName[t.Name].item.listed
		sum.Write(listed[:])
	}
	s.snapshot.Hash = hex.EncodeToString(sum.Sum(nil))
	sortFaults(s.snapshot.Faults)
}

// duplicate is the fault of the second of two tools with one name (T-13).
func duplicate(first, second entry) Fault {
	root := first.folder.root
	return Fault{File: rel(root, second.path()), Field: "name",
		Reason: fmt.Sprintf("%q is the name of %s already, so this tool is left out", second.item.tool.Name, rel(root, first.path())),
		Hint:   "give one of the two another name"}
}

// report logs the faults that were not there before.
func (c *catalog) report(before, now *state) {
	known := make(map[Fault]bool)
	if before != nil {
		for _, f := range before.snapshot.Faults {
			known[f] = true
		}
	}
	for _, f := range now.snapshot.Faults {
		if !known[f] {
			c.logger.Warn(f.String())
		}
	}
}
