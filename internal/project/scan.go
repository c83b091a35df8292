package project

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A scan looks at all folders below tools/, and takes from the one before what has not changed
// since. Everything that it makes is left alone afterwards, so that readers need no lock.
type scan struct {
	loader
	dir  string // tools/, absolute
	prev map[string]*folder
}

// A folder is one folder with what was found in it.
type folder struct {
	*listing
	place
	plan
	root     string // of the project, which faults leave out
	files    []file
	restless bool // it depends on more than its own files, so it is looked at anew in every scan
	subs     []visit
	items    []*item // one for each candidate
	faults   []Fault
}

// A visit is a folder to look at.
type visit struct {
	dir string
	place
}

// walk visits the folders below tools/, level by level, those of a level side by side.
func (s *scan) walk() []*folder {
	var all []*folder
	level := []visit{{dir: s.dir, place: place{name: filepath.Base(s.dir)}}}
	for len(level) > 0 {
		found := make([]*folder, len(level))
		parallel(len(level), func(i int) { found[i] = s.visit(level[i]) })
		level = nil
		for _, f := range found {
			if f != nil {
				all = append(all, f)
				level = append(level, f.subs...)
			}
		}
	}
	return all
}

// visit looks at one folder; nil when it is gone.
func (s *scan) visit(v visit) *folder {
	prev := s.prev[v.dir]
	if prev != nil && prev.place != v.place {
		prev = nil
	}
	var known *listing
	if prev != nil {
		known = prev.listing
	}
	l, err := list(v.dir, known)
	f := &folder{listing: l, place: v.place, root: s.root}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		f.listing = &listing{dir: v.dir}
		f.fault(v.dir, "cannot be read: "+cause(err).Error(), "")
		return f
	}
	for _, name := range l.odd {
		f.fault(filepath.Join(l.dir, name), "its name has characters that no message can carry, so it is left out", "rename it")
	}
	sidecars, folders := s.sort(f, prev)
	if prev != nil && l == prev.listing && !f.restless && !prev.restless && sameFiles(prev.files, f.files) && prev.itemsCurrent() {
		return prev
	}
	f.plan = layout(v.place, f.files, sidecars)
	for _, name := range f.orphans {
		f.warn(filepath.Join(l.dir, name), "there is no script that it belongs to", "name it like its script: hello.meta.json for hello.sh")
	}
	f.descend(folders)
	f.items = make([]*item, len(f.candidates))
	for i, c := range f.candidates {
		f.items[i] = reuse(prev, c)
	}
	return f
}

// sort tells files, metadata files and folders apart, and probes the files.
func (s *scan) sort(f, prev *folder) (sidecars, folders []string) {
	for _, e := range f.entries {
		name, isDir := e.Name(), e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			f.restless = true
			path := filepath.Join(f.dir, name)
			info, err := follow(path, s.dir)
			if err != nil {
				f.linkFault(path, err)
				continue
			}
			if isDir = info.IsDir(); !isDir && !info.Mode().IsRegular() {
				continue
			}
		}
		switch _, isSidecar := sidecarOf(name); {
		case isDir:
			folders = append(folders, name)
		case isSidecar:
			sidecars = append(sidecars, name)
		case !isIgnoredFile(name):
			if probed, ok := probe(f, prev, name); ok {
				f.files = append(f.files, probed)
			}
		}
	}
	return sidecars, folders
}

// probe looks at a file of the folder. Its first bytes are read only if nothing else tells
// whether it is a script.
func probe(f, prev *folder, name string) (file, bool) {
	path := filepath.Join(f.dir, name)
	info, err := os.Stat(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.fault(path, "cannot be read: "+cause(err).Error(), "")
		}
		return file{}, false
	}
	probed := file{name: name, stamp: stampOf(info)}
	if prev != nil {
		i, known := slices.BinarySearchFunc(prev.files, name, func(a file, name string) int { return strings.Compare(a.name, name) })
		if known && prev.files[i].stamp.same(probed.stamp) {
			return prev.files[i], true
		}
	}
	probed.executable = startable(info.Mode(), name)
	probed.script = probed.executable || strings.HasSuffix(name, ".sh") || strings.HasSuffix(name, ".bash")
	if !probed.script {
		head, _ := readHead(path, 8) // one that cannot be read is no script
		probed.script = bytes.HasPrefix(trimBOM(head), []byte("#!"))
	}
	probed.executable = probed.executable || !executableBits && probed.script
	return probed, true
}

func sameFiles(before, now []file) bool {
	return slices.EqualFunc(before, now, func(a, b file) bool { return a.name == b.name && a.stamp.same(b.stamp) })
}

// descend notes the folders to visit next.
func (f *folder) descend(names []string) {
	for _, name := range names {
		path := filepath.Join(f.dir, name)
		inner := f.inner || f.main || isHelperFolder(name)
		switch {
		case isIgnoredFolder(name):
		case f.depth < maxDepth:
			f.subs = append(f.subs, visit{path, place{name: name, depth: f.depth + 1, inner: inner}})
		case !inner:
			f.restless = true
			if isFile(filepath.Join(path, "tool.sh")) || isFile(filepath.Join(path, name+".sh")) {
				f.warn(path, "lies too deep for a tool to be found", fmt.Sprintf("a tool may lie in up to %d folders below tools/", maxDepth))
			}
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func (f *folder) fault(path, reason, hint string) {
	f.faults = append(f.faults, Fault{File: rel(f.root, path), Reason: reason, Hint: hint})
}

func (f *folder) warn(path, reason, hint string) {
	f.faults = append(f.faults, Fault{File: rel(f.root, path), Reason: reason, Hint: hint, Warning: true})
}

func (f *folder) linkFault(path string, err error) {
	if link, ok := errors.AsType[*linkError](err); ok {
		f.fault(path, link.reason, link.hint)
	} else {
		f.fault(path, "the link cannot be followed: "+cause(err).Error(), "")
	}
}
