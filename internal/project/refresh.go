package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A Refreshed is the result of writing one list.
type Refreshed struct {
	List       Kinds // one of them
	Count      int
	Interfaces int // how many of them are user interfaces
	Faults     []Fault
	Err        error // the list cannot be read, or its file cannot be written
}

// Refresh reads the lists in some as the files are now and writes those that changed into
// Options.RegistryDir. A project that was opened with Static set is not read, so there is nothing
// to write.
func (p *Project) Refresh(ctx context.Context, some Kinds) []Refreshed {
	var all []Refreshed
	for _, l := range p.lists {
		if some.Has(l.kind.set()) {
			all = append(all, l.refresh(ctx))
		}
	}
	return all
}

func (l *list) refresh(ctx context.Context) Refreshed {
	s, err := l.look(ctx)
	if err != nil {
		return Refreshed{List: l.kind.set(), Err: err}
	}
	r := Refreshed{List: l.kind.set(), Count: len(s.entries), Faults: s.faults}
	for _, e := range s.entries {
		if IsInterface(keyOf(e, byAddress)) {
			r.Interfaces++
		}
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	r.Err = l.writeErr
	return r
}

// ListsAt returns the lists that a file or folder at a path, absolute or relative to the project,
// can contribute to: all of them for the folder of the server's own files.
func (p *Project) ListsAt(path string) Kinds {
	path = below(p.root, path, "")
	touches := func(dir string) bool { return within(dir, path) || within(path, dir) }
	if touches(p.serverDir) {
		return Tools | Resources | Templates | Prompts
	}
	var lists Kinds
	for _, t := range p.trees {
		if touches(t.dir) {
			lists |= t.lists
		}
	}
	return lists
}

// Stored describes a list as it is stored in Options.RegistryDir.
type Stored struct {
	List       Kinds  // one of them
	Path       string // of the file, absolute
	Hash       string
	Count      int
	Interfaces int // how many of them are user interfaces
	Modified   time.Time
	Err        error // fs.ErrNotExist if it is not stored; else why the file is unusable
}

// Stored returns the stored lists. It reads nothing but their files.
func (p *Project) Stored() []Stored {
	var all []Stored
	for k := kindTool; k <= kindPrompt; k++ {
		list := Stored{List: k.set(), Path: filepath.Join(p.registryDir, k.storedName())}
		list.Err = list.read()
		all = append(all, list)
	}
	return all
}

func (s *Stored) read() error {
	info, err := os.Stat(s.Path)
	if err != nil {
		return err
	}
	s.Modified = info.ModTime()
	data, _, err := readFile(s.Path, storedBytes)
	if err != nil {
		return err
	}
	var content struct {
		Version int    `json:"format_version"`
		Hash    string `json:"hash"`
		Items   []struct {
			URI string `json:"uri"`
		} `json:"items"`
	}
	if err := json.Unmarshal(data, &content, json.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	if content.Version != storedVersion {
		return fmt.Errorf("its format_version is not %d; write it anew with `mcp-bash registry refresh`", storedVersion)
	}
	s.Hash, s.Count = content.Hash, len(content.Items)
	for _, item := range content.Items {
		if IsInterface(item.URI) {
			s.Interfaces++
		}
	}
	return nil
}
