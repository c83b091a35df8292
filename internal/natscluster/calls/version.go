package calls

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Versions caches the versions of a project's tools. A version is a hash of the metadata of a tool, its
// script, and all files in its folder, so it is the same on all machines with the same files. It does not
// cover files of other folders that a script uses. The zero value is ready to use by several goroutines.
type Versions struct {
	reading singleflight.Group // of the files of each tool

	mu    sync.Mutex
	known map[string]version // by tool
}

type version struct{ stamps, sum string }

const (
	// mostFiles is how many files of a folder count, mostBytes how many bytes of them are read. Of the
	// rest only names and sizes count.
	mostFiles = 1000
	mostBytes = 16 << 20
	// settled is how old a change must be before file times are reliable: two changes within a tick of
	// the file system's clock have the same time.
	settled = 2 * time.Second
)

// Of returns the current version of a tool. Its files are not read again if their sizes and times are
// unchanged.
func (v *Versions) Of(t *handlers.Tool) (string, error) {
	list, err := filesOf(t)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.Write(t.Metadata)
	reliable := true
	for _, f := range list {
		changed := f.info.ModTime()
		reliable = reliable && time.Since(changed).Abs() > settled
		fmt.Fprintf(&text, "\n%s %d %d %v", f.name, f.info.Size(), changed.UnixNano(), f.info.Mode())
	}
	stamps := text.String()
	if sum, ok := v.kept(t.Name, stamps); ok {
		return sum, nil
	}
	sum, err, _ := v.reading.Do(t.Name+"\n"+stamps, func() (any, error) { return hashOf(t, list) })
	if err != nil {
		return "", err
	}
	if reliable {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.known == nil {
			v.known = make(map[string]version)
		}
		v.known[t.Name] = version{stamps, sum.(string)}
	}
	return sum.(string), nil
}

// kept returns the version of a tool whose files have these stamps, if it is known.
func (v *Versions) kept(tool, stamps string) (sum string, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known := v.known[tool]
	return known.sum, known.sum != "" && known.stamps == stamps
}

// A file is a file of a tool.
type file struct {
	path string
	name string // relative to the folder of the tool, with slashes
	info fs.FileInfo
}

// filesOf returns the files of a tool: those in its folder and below, or only its own where the folder
// is one of several tools.
func filesOf(t *handlers.Tool) (list []file, err error) {
	add := func(path string) {
		name, err := filepath.Rel(t.Dir, path)
		if err != nil || !filepath.IsLocal(name) {
			name = filepath.Base(path)
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && len(list) < mostFiles {
			list = append(list, file{path, filepath.ToSlash(name), info})
		}
	}
	if t.MetadataFile != "" {
		add(t.MetadataFile)
	}
	if t.Path != "" && !t.Alone { // a program that only metadata names may differ from machine to machine
		add(t.Path)
	}
	if !ownFolder(t) {
		return list, nil
	}
	return list, filepath.WalkDir(t.Dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // then there may be no d, as where the folder is gone
			return err
		case len(list) == mostFiles:
			return filepath.SkipAll
		}
		hidden := strings.HasPrefix(d.Name(), ".") && path != t.Dir
		switch {
		case hidden && d.IsDir():
			return filepath.SkipDir
		case !hidden && !d.IsDir():
			add(path)
		}
		return nil
	})
}

// ownFolder reports whether a folder belongs to one tool only: its script or metadata is named after the
// folder, or "tool".
func ownFolder(t *handlers.Tool) bool {
	for _, path := range []string{t.MetadataFile, t.Path} {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if path != "" && filepath.Dir(path) == t.Dir && (name == "tool" || name == filepath.Base(t.Dir)) {
			return true
		}
	}
	return false
}

func hashOf(t *handlers.Tool, list []file) (string, error) {
	h, left := sha256.New(), int64(mostBytes)
	part(h, []byte(t.Name))
	part(h, t.Metadata)
	for _, f := range list {
		part(h, []byte(f.name))
		if left -= f.info.Size(); left < 0 {
			part(h, fmt.Appendf(nil, "%d bytes", f.info.Size()))
			continue
		}
		text, err := files.Read(f.path, mostBytes)
		if err != nil {
			return "", err
		}
		part(h, text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// part adds a part with its length, so that no two lists of parts have the same hash.
func part(h hash.Hash, b []byte) {
	fmt.Fprintf(h, "%d:", len(b))
	h.Write(b)
}
