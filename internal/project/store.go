package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

// cacheVersion is the format_version of these files.
const cacheVersion = 1

// cacheBytes is the maximal size of such a file.
const cacheBytes = manyBytes

// A store writes one list to a file.
type store struct {
	registrar
	path   string // of the file, absolute
	logger *slog.Logger
	err    error // of the last attempt to write, which was logged
}

// cacheFile is the name of the file of a list; empty for the list that is not stored.
func (k kind) cacheFile() string {
	return [kindCount]string{"tools.json", "resources.json", "resource-templates.json", "prompts.json", ""}[k]
}

// save writes the list unless it is unchanged. A folder that cannot be written is not a fault.
func save[T Entry](s *store, items []T) {
	body, separator := []byte{'['}, "\n    "
	for _, item := range items {
		var w objectWriter
		item.cached(&w, paths{s.root, s.dirs[item.kind()]})
		body = append(append(body, separator...), w.object()...)
		separator = ",\n    "
	}
	body = append(body, "\n  ]"...)
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	if keptHash(s.path) == hash {
		s.err = nil
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
`, cacheVersion, time.Now().UTC().Format(time.RFC3339), hash, len(items), body)
	err := s.write(text)
	if err != nil && s.err == nil {
		s.logger.Debug("the list is not kept for MCPBASH_STATIC_REGISTRY", "error", err)
	}
	s.err = err
}

// keptHash returns the hash in the file at path, without reading all of it.
func keptHash(path string) string {
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

// write replaces the file. In the project only the last folder is created, and only if the project
// still exists: a project that was moved away is not created again. A link in its place, which can
// lead anywhere, is not followed. A folder elsewhere is the operator's choice.
func (s *store) write(text []byte) error {
	dir := filepath.Dir(s.path)
	if within(s.root, dir) {
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
	return files.Replace(s.path, text, 0o644)
}
