package catalog

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/document"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// Lists are stored in files, to be served without reading the project, and to be inspected:
//
//	.registry/tools.json  resources.json  resource-templates.json  prompts.json
//
// Each contains the items of a list in the format of register.json.

const (
	storedVersion = 1         // the format_version of these files
	storedBytes   = manyBytes // the maximal size of such a file
)

// write writes the list unless it is what was written last.
func (l *list) write() {
	if l.file == "" || !l.lifetime.begin() {
		return
	}
	defer l.lifetime.looks.Done()
	l.writing.Lock()
	defer l.writing.Unlock()
	if now := l.last.Load(); now != nil && now != l.written && now.err == nil && !l.lifetime.isClosed() {
		l.save(now.entries)
		l.written = now
	}
}

// save writes the entries unless they are in the file. A folder that cannot be written is not a fault.
func (l *list) save(entries []Entry) {
	items := l.itemsOf(entries)
	hash := fmt.Sprintf("%x", sha256.Sum256(items))
	if storedHash(l.file) == hash {
		l.writeErr = nil
		return
	}
	err := l.replaceFile(fmt.Appendf(nil, `{
  "format_version": %d,
  "version": 1,
  "generatedAt": %q,
  "hash": %q,
  "total": %d,
  "items": %s
}
`, storedVersion, time.Now().UTC().Format(time.RFC3339), hash, len(entries), items))
	if err != nil && l.writeErr == nil {
		l.o.Logger.Debug("the list is not kept for MCPBASH_STATIC_REGISTRY", "error", err)
	}
	l.writeErr = err
}

// itemsOf returns the entries as an array.
func (l *list) itemsOf(entries []Entry) []byte {
	text, separator := []byte{'['}, "\n    "
	for _, e := range entries {
		var w objectWriter
		kinds[l.kind].write(&w, e, paths{l.root, l.dirs[l.kind]}, false)
		text = append(append(text, separator...), w.object()...)
		separator = ",\n    "
	}
	return append(text, "\n  ]"...)
}

// storedHash returns the hash in the file at path, which is among its first members.
func storedHash(path string) string {
	head, _ := files.Head(path, 512) // without a file there is no hash
	_, rest, _ := strings.Cut(string(head), `"hash": "`)
	hash, _, _ := strings.Cut(rest, `"`)
	return hash
}

// replaceFile writes the file. In the project only the last folder is created, and only if the project
// still exists: a project that was moved away is not created again. A link in its place, which can
// lead anywhere, is not followed. A folder elsewhere is the operator's choice.
func (l *list) replaceFile(text []byte) error {
	dir := filepath.Dir(l.file)
	if within(l.root, dir) {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder of its own; move it away", dir)
		}
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return files.Replace(l.file, text, 0o644)
}

// readStored reads a list in .registry/, to be served without checking anything else.
func (p *Project) readStored(path string, k kind, before *records) *records {
	if before != nil && before.from.current() {
		return before
	}
	now := &records{from: depOf(path)}
	data, err := files.Read(path, storedBytes)
	if files.IsMissing(err) {
		return now
	}
	if err == nil {
		now.batches[k], err = p.parseStored(path, k, data)
	}
	if err != nil {
		p.o.Logger.Warn("cannot use "+p.Rel(path)+", reading the project instead", "error", err)
	}
	return now
}

func (p *Project) parseStored(path string, k kind, data []byte) (*batch, error) {
	doc := document.JSON(p.Rel(path), data)
	o, fault := objectOf(&doc)
	if fault != nil {
		return nil, errors.New(fault.String())
	}
	if version, _ := o.get("format_version"); string(version.Value) != fmt.Sprint(storedVersion) {
		return nil, fmt.Errorf("its format_version is not %d", storedVersion)
	}
	list, ok := o.typed("items", '[')
	items := o.registered(list, path)
	if !ok || len(o.faults) > 0 {
		return nil, errors.New("it has no items, or some are not objects")
	}
	b := p.registeredBatch(k, items)
	if b.err != nil {
		return nil, b.err
	}
	b.faults = slices.DeleteFunc(b.faults, func(f Fault) bool { return f.Warning }) // reported when it was written
	for _, it := range b.items {
		if r, ok := it.entry.(*Resource); ok && r.Path != "" && r.isOwnURI(paths{p.root, p.dirs[k]}.short(r.Path)) {
			r.URI = files.URI(r.Path)
		}
	}
	return b, nil
}

// isOwnURI reports whether the URI is that of the file with a relative path, wherever the project
// was when the list was stored.
func (r *Resource) isOwnURI(short string) bool {
	return strings.HasPrefix(r.URI, "file:") && strings.HasSuffix(r.URI, "/"+(&url.URL{Path: short}).EscapedPath())
}

// A Refreshed is the result of writing one list.
type Refreshed struct {
	List       Kinds // one of them
	Count      int
	Interfaces int // how many of them are user interfaces
	Faults     []Fault
	Err        error // the list cannot be read, or its file cannot be written
}

// Refresh reads the lists in some as the files are now and writes those that changed into
// Folders.Registry. A project that was opened with Static set is not read, so there is nothing
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

// Stored describes a list as it is stored in Folders.Registry.
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
		list := Stored{List: k.set(), Path: filepath.Join(p.registryDir, kinds[k].file)}
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
	data, err := files.Read(s.Path, storedBytes)
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
