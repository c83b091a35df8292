package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// A scan reads all folders of a tree, and reuses what has not changed since the previous scan. Its
// results are never modified, so readers need no lock.
type scan struct {
	*tree
	prev map[string]*folder
}

// A folder is one folder with what was found in it.
type folder struct {
	place
	stamp    files.Stamp
	listing  string // the names in it, sorted, each between what it is and a slash; not those that are hidden
	files    []file
	linked   bool    // there are links in it
	volatile bool    // it depends on more than its own files, so its stamp does not show whether it is unchanged
	subs     []place // the folders in it to look at
	items    []*item // one for each candidate, sorted by file name; none if it is too deep
	faults   []Fault
}

func (f *folder) add(fault Fault) { f.faults = append(f.faults, fault) }

// walk visits the folders level by level, those of a level in parallel.
func (s *scan) walk() []*folder {
	var all []*folder
	level := []place{{dir: s.dir}}
	for len(level) > 0 {
		found := make([]*folder, len(level))
		parallel(len(level), func(i int) { found[i] = s.visit(level[i], len(level) < minParallel) })
		level = nil
		for _, f := range found {
			if f != nil {
				all = append(all, f)
				level = append(level, f.subs...)
			}
		}
		if len(level) > 0 && level[0].depth > s.depth {
			level = level[:min(len(level), mostDeep)]
		}
	}
	return all
}

// visit reads one folder; it returns nil if it is gone. With alone, its files are read in parallel,
// as no other folder is: the scan must not use all the files that the process may open.
func (s *scan) visit(at place, alone bool) *folder {
	if s.lifetime.isClosed() {
		return nil
	}
	prev := s.prev[at.dir]
	if prev != nil && prev.place != at {
		prev = nil
	}
	f := &folder{place: at}
	if at.dir == s.dir && linksAbove(s.dir, s.root) {
		f.volatile = true
		s.fault(f, at.dir, "is a link to a folder that contains the project, so nothing in it is served",
			"link to a folder beside the project, or in it")
		return f
	}
	err := s.list(f, prev)
	switch {
	case errors.Is(err, fs.ErrNotExist) && at.dir == s.dir && files.Dangling(s.dir):
		f.volatile = true
		s.fault(f, at.dir, "is a symbolic link to something that does not exist", "correct the link, or remove it")
		return f
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		reason, hint := cause(err).Error(), ""
		if scarce := process.Scarce(at.dir, err); scarce != nil {
			if prev != nil { // calls hold what it takes to read the folder: it does not lose its files meanwhile
				kept := *prev
				kept.volatile = true
				return &kept
			}
			reason, hint = scarce.Reason, scarce.Hint
		}
		s.fault(f, at.dir, "cannot be read: "+reason, hint)
		return f
	}
	in := s.sort(f, prev)
	if prev != nil && f.stamp == prev.stamp && f.listing == prev.listing &&
		!f.volatile && !prev.volatile && slices.EqualFunc(prev.files, f.files, file.same) &&
		!slices.ContainsFunc(prev.items, (*item).stale) {
		return prev
	}
	plan := s.plan(at, in)
	if at.depth > s.depth {
		f.faults = nil
		if slices.ContainsFunc(plan.candidates, func(c candidate) bool { return !c.helper }) {
			reason := fmt.Sprintf("is nested too deep for a %s to be found", kinds[s.kinds[0]].word)
			f.add(Fault{File: rel(s.root, at.dir), Reason: reason, Hint: s.tooDeep, Warning: true})
		} else {
			s.descend(f, false, in.folders)
		}
		return f
	}
	s.descend(f, plan.main, in.folders)
	f.items = make([]*item, len(plan.candidates))
	load := func(i int) { f.items[i] = s.item(plan.candidates[i], f, prev) }
	if alone {
		parallel(len(f.items), load)
	} else {
		for i := range f.items {
			load(i)
		}
	}
	return f
}

// contents are the entries of a folder, sorted by name.
type contents struct {
	files    []file
	sidecars []string // metadata files
	folders  []string
}

// sort separates files, metadata files and folders, and probes the files.
func (s *scan) sort(f, prev *folder) contents {
	var in contents
	for listed := range strings.SplitSeq(strings.TrimSuffix(f.listing, "/"), "/") {
		if listed == "" {
			continue // nothing is in the folder
		}
		is, name := listed[0], listed[1:]
		isDir := is == aFolder
		switch is {
		case oddly:
			s.fault(f, filepath.Join(f.dir, name),
				"its name has control characters or is not valid UTF-8, so it is left out", "rename it")
			continue
		case aLink:
			f.linked, f.volatile = true, true
			path := filepath.Join(f.dir, name)
			info, fault := followLink(path, s.dir)
			if fault != nil {
				fault.File = rel(s.root, path)
				f.add(*fault)
				continue
			}
			if isDir = info.IsDir(); !isDir && !info.Mode().IsRegular() {
				continue
			}
		}
		switch _, isSidecar := sidecarOf(name); {
		case isDir:
			in.folders = append(in.folders, name)
		case isSidecar:
			in.sidecars = append(in.sidecars, name)
		case !s.ignores(name):
			if probed, ok := s.probe(f, prev, name); ok {
				in.files = append(in.files, probed)
			}
		}
	}
	f.files = in.files
	return in
}

// probe describes a file of the folder. Its first bytes are read only if nothing else shows whether
// it is a script.
func (s *scan) probe(f, prev *folder, name string) (file, bool) {
	path := filepath.Join(f.dir, name)
	was, err := files.StampOf(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.fault(f, path, "cannot be read: "+cause(err).Error(), "")
		}
		return file{}, false
	}
	if prev != nil {
		byName := func(a file, name string) int { return strings.Compare(a.name, name) }
		i, known := slices.BinarySearchFunc(prev.files, name, byName)
		if known && prev.files[i].stamp.Same(was) {
			return prev.files[i], true
		}
	}
	return fileOf(path, was, s.sniffs), true
}

// deeper is how many levels of folders are read that are too deep, to point out what would be an entry elsewhere;
// mostDeep is of how many in each: a folder of data must not take all watches of the system.
const deeper, mostDeep = 4, 256

// descend adds the folders to visit next. Those below a main script are inner.
func (s *scan) descend(f *folder, main bool, names []string) {
	for _, name := range names {
		below := place{dir: filepath.Join(f.dir, name), depth: f.depth + 1, inner: f.inner || main || isHelperFolder(name)}
		if !isIgnoredFolder(name) && (f.depth < s.depth || f.depth < s.depth+deeper && !below.inner) {
			f.subs = append(f.subs, below)
		}
	}
}

// noScript is the fault of metadata that belongs to nothing.
func noScript(file string) Fault {
	return Fault{File: file, Reason: "belongs to no script",
		Hint: "give it the name of its script: hello.meta.json for hello.sh", Warning: true}
}

func (s *scan) fault(f *folder, path, reason, hint string) {
	f.add(Fault{File: rel(s.root, path), Reason: reason, Hint: hint})
}

// linksAbove reports whether dir is a link to a folder that contains the project: all of that would
// be scanned, perhaps the whole disk.
func linksAbove(dir, root string) bool {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	target, err := filepath.EvalSymlinks(dir)
	home, gone := filepath.EvalSymlinks(root)
	return err == nil && gone == nil && within(target, home)
}

// What the names in a listing are.
const (
	aFile   = 'f'
	aFolder = 'd'
	aLink   = 'l'
	oddly   = 'o' // named so that no message can contain it
)

// list reads the folder, or uses the listing of prev, if any, when no entry was added or removed.
func (s *scan) list(f, prev *folder) error {
	was, err := files.StampOf(f.dir)
	switch {
	case err != nil:
		return err
	case !was.Mode.IsDir():
		return errors.New("it is not a folder")
	case prev != nil && prev.stamp.Same(was):
		f.stamp, f.listing = prev.stamp, prev.listing
		return nil
	}
	var all []fs.DirEntry // sorted
	err = files.Patient(func() (err error) { all, err = os.ReadDir(f.dir); return err })
	if err != nil {
		return err
	}
	var listing []byte
	for _, e := range all {
		var is byte
		switch name, kind := e.Name(), e.Type(); {
		case strings.HasPrefix(name, "."):
			continue
		case document.OddName(name):
			is = oddly
		case kind.IsRegular():
			is = aFile
		case kind.IsDir():
			is = aFolder
		case kind&fs.ModeSymlink != 0:
			is = aLink
		default:
			continue
		}
		listing = append(append(append(listing, is), e.Name()...), '/')
	}
	f.stamp, f.listing = was, string(listing)
	return nil
}

// followLink returns the target of a link, or the fault why it is not followed. It must be below root,
// and not a folder that contains the link: only files in the project are served, and every walk must
// end.
func followLink(link, root string) (fs.FileInfo, *Fault) {
	refuse := func(err error, hint string) (fs.FileInfo, *Fault) {
		why := strings.TrimPrefix(cause(err).Error(), "EvalSymlinks: ")
		return nil, &Fault{Reason: "the link cannot be followed: " + why, Hint: hint}
	}
	home, err := filepath.EvalSymlinks(root)
	if err != nil {
		return refuse(err, "")
	}
	target, err := filepath.EvalSymlinks(link)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Fault{Reason: "the target of the link does not exist", Hint: "remove it, or fix it"}
	case err != nil:
		return refuse(err, "remove it, or fix it")
	case !within(home, target):
		return nil, &Fault{Reason: "the link leads out of " + filepath.Base(root) + "/, so it is not followed",
			Hint: "put a copy or a small script in its place", Warning: true}
	}
	here, err := filepath.EvalSymlinks(filepath.Dir(link))
	if err != nil {
		return refuse(err, "")
	}
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return refuse(err, "")
	case info.IsDir() && within(target, here):
		return nil, &Fault{Reason: "the link leads to a folder that contains it, so it is not followed", Hint: "remove it"}
	}
	return info, nil
}
