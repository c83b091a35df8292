package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/jsonv2/jsontext"
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
// fault.
func (l *list) save(entries []Entry) {
	body, separator := []byte{'['}, "\n    "
	for _, e := range entries {
		var w objectWriter
		e.stored(&w, paths{l.root, l.dirs[l.kind]})
		body = append(append(body, separator...), w.object()...)
		separator = ",\n    "
	}
	body = append(body, "\n  ]"...)
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	if storedHash(l.file) == hash {
		l.writeErr = nil
		return
	}
	text := fmt.Appendf(nil, `{
  "format_version": %d,
  "version": 1,
  "generatedAt": %q,
  "hash": %q,
  "total": %d,
  "items": %s
}
`, storedVersion, time.Now().UTC().Format(time.RFC3339), hash, len(entries), body)
	err := l.replaceFile(text)
	if err != nil && l.writeErr == nil {
		l.logger.Debug("the list is not kept for MCPBASH_STATIC_REGISTRY", "error", err)
	}
	l.writeErr = err
}

// storedHash returns the hash in the file at path, without reading all of it.
func storedHash(path string) string {
	f, _, err := files.OpenUnlinked(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	dec := jsontext.NewDecoder(f)
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
