package project

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Lists are stored in files, to be served without reading the project, and to be inspected:
//
//	.registry/tools.json  resources.json  resource-templates.json  prompts.json
//
// Each contains the items of a list in the format of register.json.

// storedVersion is the format_version of these files.
const storedVersion = 1

// storedBytes is the maximal size of such a file.
const storedBytes = manyBytes

// storedName is the name of the file of a list; empty for the list that is not stored.
func (k kind) storedName() string {
	return [kindCount]string{"tools.json", "resources.json", "resource-templates.json", "prompts.json", ""}[k]
}

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
		l.logger.Debug("the list is not kept for MCPBASH_STATIC_REGISTRY", "error", err)
	}
	l.writeErr = err
}

// itemsOf returns the entries as an array.
func (l *list) itemsOf(entries []Entry) []byte {
	var w objectWriter
	text, separator := []byte{'['}, "\n    "
	for _, e := range entries {
		w.b = w.b[:0]
		e.write(&w, paths{l.root, l.dirs[l.kind]}, false)
		w.b = w.object()
		text = append(append(text, separator...), w.b...)
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
