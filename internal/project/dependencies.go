package project

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// dependencies are the files and folders that the lists depend on.
type dependencies struct {
	root, home string          // the project's folder, and where it leads
	whole      map[string]bool // folders in which every change counts
	paths      map[string]bool // paths that count in other folders
	watched    map[string]bool // the folders to watch
	outer      map[string]bool // folders whose paths are not in watched folders
	blind      bool            // not every change is reported, because a link leads there
}

// newDependencies returns those that every project has.
func (p *Project) newDependencies() dependencies {
	home, err := filepath.EvalSymlinks(p.root)
	d := dependencies{root: p.root, home: home, blind: err != nil,
		whole: make(map[string]bool), paths: make(map[string]bool), watched: make(map[string]bool),
		outer: make(map[string]bool)}
	d.outer[p.root], d.watched[p.root] = true, true
	return d
}

// dependencies returns what the lists depend on as they were found last.
func (p *Project) dependencies() dependencies {
	d := p.newDependencies()
	for _, folder := range p.rootFolders() {
		d.reach(folder)
		d.folder(folder)
		d.outer[folder] = true // another disk may be mounted there
	}
	for _, t := range p.trees {
		for _, f := range t.lastFolders() {
			d.scanned(f)
		}
	}
	for _, l := range p.lists {
		if last := l.last.Load(); last != nil {
			for _, b := range last.parts.all() {
				for _, it := range b.items {
					d.item(it)
				}
			}
		}
	}
	return d
}

// rootFolders returns the top folders of the lists.
func (p *Project) rootFolders() []string {
	folders := []string{p.serverDir}
	if p.registryDir != "" && p.static {
		folders = append(folders, p.registryDir)
	}
	for _, t := range p.trees {
		folders = append(folders, t.dir)
	}
	return folders
}

// item adds the files that an item was built from, besides those of its folder.
func (d *dependencies) item(it *item) {
	home := ""
	if it.folder != nil {
		home = it.folder.dir
	} else if !it.alone {
		d.file(it.path, it.file.stamp)
	}
	for _, dep := range it.deps {
		if filepath.Dir(dep.path) != home || dep.stamp.Links {
			d.file(dep.path, dep.stamp)
		}
	}
}

// scanned adds a folder of a tree.
func (d *dependencies) scanned(f *folder) {
	d.folder(f.dir)
	d.blind = d.blind || f.linked
	for _, deep := range f.deep {
		d.folder(deep)
	}
	for _, file := range f.files {
		d.blind = d.blind || file.stamp.Links // its other names may be anywhere
	}
}

// folder adds a folder with all that is in it.
func (d *dependencies) folder(path string) {
	d.whole[path], d.watched[path] = true, true
}

// file adds a file, which need not exist.
func (d *dependencies) file(path string, was files.Stamp) {
	d.paths[path] = true
	if info, err := os.Lstat(path); was.Links || err == nil && info.Mode()&fs.ModeSymlink != 0 {
		d.blind = true
	}
	d.reach(filepath.Dir(path))
}

// reach adds what makes a folder be at its path: the folders above it, down from the root of the
// project where it is in that. If it is missing, the folder above is where it will appear.
func (d *dependencies) reach(folder string) {
	for {
		real, err := filepath.EvalSymlinks(folder)
		if errors.Is(err, fs.ErrNotExist) && !exists(folder) && folder != filepath.Dir(folder) {
			d.paths[folder] = true
			folder = filepath.Dir(folder)
			continue
		}
		inside := within(d.root, folder)
		d.blind = d.blind || err != nil || real != d.real(folder)
		d.watched[folder] = true
		if !inside {
			d.outer[folder] = true
		}
		for ; inside && folder != d.root; folder = filepath.Dir(folder) {
			d.paths[folder], d.watched[filepath.Dir(folder)] = true, true
		}
		return
	}
}

// exists reports whether there is something at a path, even a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// real returns the path without links that a folder has if there are none below the project's folder, or
// in the path of a folder elsewhere.
func (d *dependencies) real(folder string) string {
	if within(d.root, folder) {
		return filepath.Join(d.home, rel(d.root, folder))
	}
	return folder
}

// concerns reports whether a change at a path counts.
func (d *dependencies) concerns(path string) bool {
	return d.whole[path] || d.paths[path] || d.whole[filepath.Dir(path)]
}

// covers reports whether every change that counts for others counts.
func (d *dependencies) covers(others dependencies) bool {
	for folder := range others.whole {
		if !d.whole[folder] {
			return false
		}
	}
	for path := range others.paths {
		if !d.concerns(path) {
			return false
		}
	}
	return true
}

// include adds others.
func (d *dependencies) include(others dependencies) {
	maps.Copy(d.whole, others.whole)
	maps.Copy(d.paths, others.paths)
	maps.Copy(d.watched, others.watched)
	maps.Copy(d.outer, others.outer)
}
