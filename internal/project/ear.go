package project

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// An ear hears from the system what happens in folders. Its channels are nil while it is deaf.
type ear struct {
	watcher watcher // nil while it is deaf
	events  <-chan fsnotify.Event
	errors  <-chan error
	folders map[string]interest // that the system tells about
}

// A watcher tells what happens in folders; fsnotify has one for each system.
type watcher interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
}

// An interest says which changes in a folder matter.
type interest int

const (
	inFolders interest = 1 + iota // of folders that we know, for one of them may appear in it
	inAll
)

// systemWatcher is the real one.
func systemWatcher() (watcher, <-chan fsnotify.Event, <-chan error, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, nil, nil, err
	}
	return w, w.Events, w.Errors, nil
}

// hear opens the ear.
func (w *watch) hear() {
	w.folders = make(map[string]interest)
	var err error
	if w.watcher, w.events, w.errors, err = w.p.watcher(); err != nil {
		w.watcher = nil
		w.deaf(err)
	}
}

// deaf has the files looked at instead.
func (w *watch) deaf(err error) {
	w.close()
	if w.poll <= 0 {
		w.poll = fallbackPoll
	}
	w.p.logger.Warn("the system cannot tell of changes in the project, so its files are looked at instead",
		"error", err, "interval", w.poll, "folders", len(w.folders))
}

func (w *watch) close() {
	if w.watcher != nil {
		w.watcher.Close()
	}
	w.ear = ear{folders: w.folders}
}

// follow has the system tell about the folders there are now, and reports whether there were new
// ones.
func (w *watch) follow() bool {
	if w.watcher == nil {
		return false
	}
	wanted := w.p.interests(w.told.batches)
	for folder := range w.folders {
		if wanted[folder] == 0 {
			w.watcher.Remove(folder)
			delete(w.folders, folder)
		}
	}
	added := false
	for folder, matters := range wanted {
		if w.folders[folder] == 0 {
			switch err := w.watcher.Add(folder); {
			case isMissing(err), errors.Is(err, fs.ErrPermission):
				continue // the folder above tells when it appears
			case err != nil:
				w.deaf(err)
				return true
			}
			added = true
		}
		w.folders[folder] = matters
	}
	return added
}

// concerned reports whether an event may have changed a list.
func (w *watch) concerned(e fsnotify.Event) bool {
	above, itself := w.folders[filepath.Dir(e.Name)], w.folders[e.Name]
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(w.folders, e.Name) // if it was one, the system tells no more of it
	}
	return above == inAll || itself == inAll || slices.Contains(w.p.ours(), e.Name)
}

// interests are the folders that the lists depend on, and those above the ones that lists begin in,
// for these may come and go.
func (p *Project) interests(batches [kindCount]*batch) map[string]interest {
	all := make(map[string]interest)
	for _, folder := range p.ours() {
		all[filepath.Dir(folder)] = inFolders
	}
	for _, b := range batches {
		for _, h := range b.hits {
			for _, d := range h.deps {
				all[filepath.Dir(d.path)] = inAll
			}
			if h.folder == nil {
				all[filepath.Dir(h.path)] = inAll
			}
		}
	}
	for _, t := range p.trees {
		for _, folder := range t.known() {
			all[folder] = inAll
		}
	}
	for _, folder := range p.ours() {
		all[folder] = inAll
	}
	return all
}

// ours are the folders that the lists begin in.
func (p *Project) ours() []string {
	folders := []string{p.serverDir}
	if p.registryDir != "" && p.static {
		folders = append(folders, p.registryDir)
	}
	for _, t := range p.trees {
		folders = append(folders, t.dir)
	}
	return folders
}
