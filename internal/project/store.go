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

// Lists are kept in files, for those who want to serve without looking at the project, and for
// people to see:
//
//	.registry/tools.json  resources.json  resource-templates.json  prompts.json
//
// Each holds the items of a list as register.json would have them.

// cacheVersion is the format_version of these files.
const cacheVersion = 1

// cacheBytes is how large one may be.
const cacheBytes = manyBytes

// A store keeps one list.
type store struct {
	registrar
	path   string // of the file, absolute
	logger *slog.Logger
	err    error // of the last try to write, which was told
}

// cacheFile is the file that keeps a list; empty for the one that is not kept.
func (k kind) cacheFile() string {
	return [kindCount]string{"tools.json", "resources.json", "resource-templates.json", "prompts.json", ""}[k]
}

// save writes the list unless it is there already. A folder that cannot be written is no fault.
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

// keptHash is the hash that the file at path tells, without reading all of it.
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

// write replaces the file. Of the project only the last folder is made, and only if the project
// is still there: one that was moved away does not come back as an empty one. A link in its
// place, which can lead anywhere, is not followed. A folder elsewhere is the operator's choice.
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
