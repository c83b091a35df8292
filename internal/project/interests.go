package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/fswatch"
)

// interests are the paths that the lists depend on, besides the folders that are scanned.
type interests struct {
	points   map[string]fswatch.Interest
	shared   map[string]bool   // folders that entries of other folders depend on
	awaited  map[string]bool   // paths that may appear in folders that are otherwise irrelevant
	resolved map[string]string // paths that were resolved, and where they lead; empty for nowhere
}

// interests returns the interests of the lists as they were found last.
func (p *Project) interests() interests {
	x := newInterests()
	for _, folder := range p.rootFolders() {
		x.folder(folder)
	}
	for _, t := range p.trees {
		for _, f := range t.lastFolders() {
			x.addFolder(f)
		}
	}
	for _, l := range p.lists {
		if last := l.last.Load(); last != nil {
			for _, b := range last.parts.all() {
				for _, it := range b.items {
					x.addItem(it)
				}
			}
		}
	}
	return x
}

// addItem adds what an item depends on besides the files of its folder.
func (x interests) addItem(it *item) {
	home := ""
	if it.folder != nil {
		home = it.folder.dir
	} else if !it.alone {
		x.file(it.path, it.file.stamp)
	}
	for _, d := range it.deps {
		if filepath.Dir(d.path) != home || d.stamp.links {
			x.file(d.path, d.stamp)
		}
	}
}

// addFolder adds what a folder of a tree depends on besides its files.
func (x interests) addFolder(f *folder) {
	if f.rare != nil {
		for _, link := range f.rare.links {
			x.resolve(link)
			if target, err := filepath.EvalSymlinks(link); err == nil {
				x.contents(filepath.Dir(target))
			}
		}
		for _, deep := range f.rare.deep {
			x.contents(deep)
		}
	}
	for _, file := range f.files {
		if file.stamp.links {
			x.contents(filepath.Join(f.dir, file.name))
		}
	}
}

// file adds a file that something depends on.
func (x interests) file(path string, was stamp) {
	x.folder(filepath.Dir(path))
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		x.resolve(path)
		if target, err := filepath.EvalSymlinks(path); err == nil {
			x.contents(filepath.Dir(target))
		}
	}
	if was.links { // its other names may be anywhere
		x.contents(path)
	}
}

// folder adds a folder and the path to it.
func (x interests) folder(path string) {
	x.resolve(path)
	x.contents(path)
	if above := x.resolve(filepath.Dir(path)); above != "" {
		x.await(filepath.Join(above, filepath.Base(path)))
	}
}

// contents adds a file or folder.
func (x interests) contents(path string) {
	x.points[path] |= fswatch.Contents
	x.shared[path] = true
}

// await adds a path that may appear in the folder above it. That is not a link: only the link or its
// target would be watched.
func (x interests) await(path string) {
	x.points[filepath.Dir(path)] |= fswatch.Names
	x.awaited[path] = true
}

// resolve adds what the meaning of a path depends on: folders and links that may be moved, replaced or
// forbidden, and the first missing one. It returns where the path leads, empty for nowhere.
func (x interests) resolve(path string) string {
	to, known := x.resolved[path]
	if !known {
		to = x.follow(path)
		x.resolved[path] = to
	}
	return to
}

func (x interests) follow(path string) string {
	const separator = string(filepath.Separator)
	parts := func(path string) []string {
		return strings.FieldsFunc(path, func(r rune) bool { return r == filepath.Separator })
	}
	top := filepath.VolumeName(path) + separator
	at, rest, links := top, parts(path[len(top)-1:]), 0
	for len(rest) > 0 && links < maxLinks {
		at, rest = filepath.Join(at, rest[0]), rest[1:] // even if it is ..
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			x.await(at)
			return ""
		case err != nil:
			return "" // the parent is not a folder, or cannot be searched
		}
		if info.IsDir() || info.Mode()&fs.ModeSymlink != 0 {
			x.points[at] |= fswatch.Itself | fswatch.Mode
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		links++
		target, err := os.Readlink(at)
		if err != nil {
			return ""
		}
		rest = append(parts(target[len(filepath.VolumeName(target)):]), rest...)
		if at = filepath.Dir(at); filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + separator
		}
	}
	if len(rest) > 0 {
		return ""
	}
	return at
}

// maxLinks is how many links the systems follow at most.
const maxLinks = 255

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
