package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// interests are the files and folders that the lists depend on.
type interests struct {
	root, home string          // the project's folder, and where it leads
	folders    map[string]bool // those to watch; true: all that is in them counts
	paths      map[string]bool // what counts in the others
	outer      map[string]bool // folders whose paths are not in watched folders
	blind      bool            // not every change is reported, because a link leads there
}

// newInterests returns those that every project has.
func (p *Project) newInterests() interests {
	home, err := filepath.EvalSymlinks(p.root)
	return interests{root: p.root, home: home, blind: err != nil, outer: map[string]bool{p.root: true},
		folders: map[string]bool{p.root: false}, paths: make(map[string]bool)}
}

// interests returns what the lists depend on as they were found last.
func (p *Project) interests() interests {
	in := p.newInterests()
	top := []string{p.serverDir}
	if p.registryDir != "" && p.o.Static {
		top = append(top, p.registryDir)
	}
	for _, t := range p.trees {
		top = append(top, t.dir)
		if last := t.last.Load(); last != nil {
			for _, f := range last.folders {
				in.scanned(f)
			}
		}
	}
	for _, folder := range top {
		in.blind = !in.reach(folder) || in.blind
		in.folder(folder, true)
		in.outer[folder] = true // another disk may be mounted there
	}
	for _, l := range p.lists {
		if last := l.last.Load(); last != nil {
			for _, b := range last.parts.served() {
				for _, it := range b.items {
					in.item(it)
				}
			}
		}
	}
	return in
}

// scanned adds a folder of a tree.
func (in *interests) scanned(f *folder) {
	in.folder(f.dir, true)
	in.blind = in.blind || f.linked
	for _, file := range f.files {
		in.blind = in.blind || file.stamp.Links // its other names may be anywhere
	}
}

// item adds the files that an item was built from, besides those of its folder.
func (in *interests) item(it *item) {
	home := ""
	if it.folder != nil {
		home = it.folder.dir
	}
	for _, dep := range it.deps {
		if filepath.Dir(dep.path) != home || dep.stamp.Links {
			in.blind = !in.file(dep) || in.blind
		}
	}
}

// file adds a file, which need not exist, and reports whether all its changes are reported.
func (in *interests) file(d dep) (sure bool) {
	info, err := os.Lstat(d.path)
	in.path(d.path)
	return in.reach(filepath.Dir(d.path)) && !d.stamp.Links && (err != nil || info.Mode()&fs.ModeSymlink == 0)
}

// folder adds a folder, perhaps with all that is in it.
func (in *interests) folder(path string, all bool) { in.folders[path] = in.folders[path] || all }

// path adds a path in a folder that is watched for it.
func (in *interests) path(path string) {
	in.folder(filepath.Dir(path), false)
	in.paths[path] = true
}

// reach adds what makes a folder be at its path: the folders above it, down from the root of the
// project where it is in that. If it is missing, the folder above is where it will appear. It reports whether
// no link leads there.
func (in *interests) reach(folder string) (sure bool) {
	real, err := filepath.EvalSymlinks(folder)
	for errors.Is(err, fs.ErrNotExist) && !exists(folder) && folder != filepath.Dir(folder) {
		in.path(folder)
		folder = filepath.Dir(folder)
		real, err = filepath.EvalSymlinks(folder)
	}
	expected := folder
	in.folder(folder, false)
	if rest, inside := files.Inside(in.root, folder); inside {
		expected = filepath.Join(in.home, rest)
		for ; folder != in.root; folder = filepath.Dir(folder) {
			in.path(folder)
		}
	} else {
		in.outer[folder] = true
	}
	return err == nil && real == expected
}

// exists reports whether there is something at a path, even a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// counts reports whether what is at a path in a watched folder counts.
func (in *interests) counts(path string) bool {
	return in.folders[filepath.Dir(path)] || in.paths[path]
}

// cover reports whether every change that counts for others counts.
func (in *interests) cover(others interests) bool {
	for folder, all := range others.folders {
		if all && !in.folders[folder] {
			return false
		}
	}
	for path := range others.paths {
		if !in.counts(path) {
			return false
		}
	}
	return true
}
