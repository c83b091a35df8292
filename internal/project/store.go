package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
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

// save writes the entries unless they are in the file. A folder that cannot be written is not a
// fault. The text of a long list is only put together if it is written: it is much, and mostly the
// file has it already.
func (l *list) save(entries []Entry) {
	sum := sha256.New()
	size := l.writeItems(sum, entries)
	hash := hex.EncodeToString(sum.Sum(nil))
	if storedHash(l.file) == hash {
		l.writeErr = nil
		return
	}
	text := bytes.NewBuffer(make([]byte, 0, size+512))
	fmt.Fprintf(text, `{
  "format_version": %d,
  "version": 1,
  "generatedAt": %q,
  "hash": %q,
  "total": %d,
  "items": `, storedVersion, time.Now().UTC().Format(time.RFC3339), hash, len(entries))
	l.writeItems(text, entries)
	text.WriteString("\n}\n")
	err := l.replaceFile(text.Bytes())
	if err != nil && l.writeErr == nil {
		l.logger.Debug("the list is not kept for MCPBASH_STATIC_REGISTRY", "error", err)
	}
	l.writeErr = err
}

// writeItems writes the entries as an array, and returns its number of bytes. No write may fail.
func (l *list) writeItems(to io.Writer, entries []Entry) (size int) {
	var w objectWriter
	text, separator := []byte{'['}, "\n    "
	for _, e := range entries {
		w.b = w.b[:0]
		e.write(&w, paths{l.root, l.dirs[l.kind]}, false)
		w.b = w.object()
		text = append(append(text, separator...), w.b...)
		size += len(text)
		to.Write(text)
		text, separator = text[:0], ",\n    "
	}
	text = append(text, "\n  ]"...)
	to.Write(text)
	return size + len(text)
}

// storedHash returns the hash in the file at path, without reading all of it.
func storedHash(path string) string {
	f, _, err := files.OpenUnlinked(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	for {
		token, err := dec.ReadToken()
		switch {
		case err != nil:
			return ""
		case dec.StackDepth() == 1 && token.Kind() == '"' && token.String() == "hash":
			value, err := dec.ReadToken()
			if err != nil || value.Kind() != '"' {
				return ""
			}
			return value.String()
		}
	}
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
