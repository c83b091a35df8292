package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// dependencies are the files and folders that the lists depend on.
type dependencies struct {
	root, home string                     // the project's folder, and where it leads
	folders    map[string]map[string]bool // those to watch, with the names in them that count; nil for all names
	outer      map[string]bool            // folders whose paths are not in watched folders
	blind      bool                       // not every change is reported, because a link leads there
}

// newDependencies returns those that every project has.
func (p *Project) newDependencies() dependencies {
	home, err := filepath.EvalSymlinks(p.root)
	return dependencies{root: p.root, home: home, blind: err != nil, outer: map[string]bool{p.root: true},
		folders: map[string]map[string]bool{p.root: {}}}
}

// dependencies returns what the lists depend on as they were found last.
func (p *Project) dependencies() dependencies {
	d := p.newDependencies()
	for _, folder := range p.rootFolders() {
		d.blind = d.blind || !d.reach(folder)
		d.folder(folder)
		d.outer[folder] = true // another disk may be mounted there
	}
	for _, t := range p.trees {
		if last := t.last.Load(); last != nil {
			for _, f := range last.folders {
				d.scanned(f)
			}
		}
	}
	for _, l := range p.lists {
		if last := l.last.Load(); last != nil {
			for _, b := range last.parts.served() {
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
	deps, home := it.deps, ""
	if it.folder != nil {
		home = it.folder.dir
	} else if !it.alone {
		deps = append(deps[:len(deps):len(deps)], dep{it.path, it.file.stamp})
	}
	for _, dep := range deps {
		if filepath.Dir(dep.path) != home || dep.stamp.Links {
			d.blind = !d.file(dep.path, dep.stamp) || d.blind
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
func (d *dependencies) folder(path string) { d.folders[path] = nil }

// names adds a folder with some names in it, perhaps none.
func (d *dependencies) names(folder string, names ...string) {
	counted, known := d.folders[folder]
	if !known {
		counted = make(map[string]bool)
		d.folders[folder] = counted
	}
	for _, name := range names {
		if counted != nil {
			counted[name] = true
		}
	}
}

// file adds a file, which need not exist, and reports whether all its changes are reported.
func (d *dependencies) file(path string, was files.Stamp) (sure bool) {
	info, err := os.Lstat(path)
	d.names(filepath.Dir(path), filepath.Base(path))
	return d.reach(filepath.Dir(path)) && !was.Links && (err != nil || info.Mode()&fs.ModeSymlink == 0)
}

// reach adds what makes a folder be at its path: the folders above it, down from the root of the
// project where it is in that. If it is missing, the folder above is where it will appear. It reports whether
// no link leads there.
func (d *dependencies) reach(folder string) (sure bool) {
	real, err := filepath.EvalSymlinks(folder)
	for errors.Is(err, fs.ErrNotExist) && !exists(folder) && folder != filepath.Dir(folder) {
		d.names(filepath.Dir(folder), filepath.Base(folder))
		folder = filepath.Dir(folder)
		real, err = filepath.EvalSymlinks(folder)
	}
	expected := folder
	d.names(folder)
	if within(d.root, folder) {
		expected = filepath.Join(d.home, rel(d.root, folder))
		for ; folder != d.root; folder = filepath.Dir(folder) {
			d.names(filepath.Dir(folder), filepath.Base(folder))
		}
	} else {
		d.outer[folder] = true
	}
	return err == nil && real == expected
}

// exists reports whether there is something at a path, even a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// concerns reports whether a change at a path counts.
func (d *dependencies) concerns(path string) bool {
	return d.counts(filepath.Dir(path), filepath.Base(path)) || d.whole(path)
}

// whole reports whether everything in a folder counts.
func (d *dependencies) whole(folder string) bool {
	names, watched := d.folders[folder]
	return watched && names == nil
}

// counts reports whether a name in a folder counts.
func (d *dependencies) counts(folder, name string) bool {
	return d.whole(folder) || d.folders[folder][name]
}

// covers reports whether every change that counts for others counts.
func (d *dependencies) covers(others dependencies) bool {
	for folder, names := range others.folders {
		if names == nil && !d.whole(folder) {
			return false
		}
		for name := range names {
			if !d.counts(folder, name) {
				return false
			}
		}
	}
	return true
}
