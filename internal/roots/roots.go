// Package roots manages the folders that a client works in: those that it names, or those of the
// operator.
package roots

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// A Root is a folder.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
	Path string `json:"path"` // absolute, without symbolic links
}

// Roots returns the folders of a client. It may be used by several goroutines.
type Roots struct {
	// Fallback is used if the client names no folders.
	Fallback []Root
	// Ask asks the client with roots/list and returns the result. It is called while a call of the
	// client is served, and not again until Forget (RO-07).
	Ask func(context.Context) (json.RawMessage, error)
	// Patience is how long the client may take to answer; 0: 5 s.
	Patience time.Duration
	Log      *slog.Logger

	once   sync.Once
	asking chan struct{} // holds a value while the client is asked

	mu    sync.Mutex
	known []Root // nil: not asked yet
	era   int    // counts calls of Forget, so that an older answer is not kept
}

// Get returns the folders. The first caller asks the client, others wait for the answer; if the
// client fails, or names none that can be used, the result is the fallback (RO-02): without any folder,
// the helpers of the SDK would allow all paths.
func (r *Roots) Get(ctx context.Context) []Root {
	if known, _ := r.last(); known != nil {
		return known
	}
	r.once.Do(func() { r.asking = make(chan struct{}, 1) })
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return r.Fallback
	}
	known, era := r.last()
	if known != nil {
		return known
	}
	asking, cancel := context.WithTimeout(ctx, cmp.Or(r.Patience, 5*time.Second))
	defer cancel()
	answer, err := r.Ask(asking)
	if ctx.Err() != nil {
		return r.Fallback // the call is over: the next one asks again
	}
	found := r.Fallback
	if err != nil {
		r.Log.Debug("the client provided no roots", "error", err)
	} else if named := r.Named(answer); len(named) > 0 {
		found = named
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.era == era {
		r.known = slices.Clip(append([]Root{}, found...))
	}
	return found
}

// Forget makes the next Get ask the client again (RO-03).
func (r *Roots) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = nil
	r.era++
}

func (r *Roots) last() ([]Root, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known, r.era
}

// Named reads the result of roots/list. Anything but a reachable folder on this machine is left out
// (RO-04), with a warning, and so are duplicates.
func (r *Roots) Named(result json.RawMessage) []Root {
	var list struct {
		Roots []Root `json:"roots"`
	}
	if json.Unmarshal(result, &list, json.Lenient) != nil {
		return nil
	}
	var found []Root
	for _, root := range list.Roots {
		path, err := pathOf(root.URI, runtime.GOOS)
		if err == nil {
			found, err = add(found, Root{URI: root.URI, Name: root.Name, Path: path})
		}
		if err != nil {
			r.Log.Warn("a root that the client names cannot be used; it is left out", "uri", root.URI, "error", err)
		}
	}
	if len(found) == 0 && len(list.Roots) > 0 {
		r.Log.Warn("the client names no folder that can be used, so tools work in others", "folders", Paths(r.Fallback))
	}
	return found
}

// Paths returns the paths of roots, in order.
func Paths(list []Root) []string {
	paths := make([]string, len(list))
	for i, root := range list {
		paths[i] = root.Path
	}
	return paths
}

// Folders converts folders to roots. Relative ones start at base; folders that do not exist are
// left out.
func Folders(base string, paths ...string) []Root {
	var found []Root
	for _, path := range paths {
		if path == "" {
			continue
		}
		if path = files.Native(path); !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		found, _ = add(found, Root{Path: path})
	}
	return found
}

// add appends a root with its resolved path, if it is not in the list yet. The error says why it is not a folder.
func add(list []Root, r Root) ([]Root, error) {
	path, err := filepath.EvalSymlinks(r.Path)
	if err != nil {
		return list, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return list, err
	case !info.IsDir():
		return list, fmt.Errorf("%s is not a folder", path)
	case slices.ContainsFunc(list, func(o Root) bool { return o.Path == path }):
		return list, nil
	}
	r.Path = path
	if r.URI == "" {
		r.URI = files.URI(path)
	}
	if r.Name == "" {
		r.Name = filepath.Base(path)
	}
	return append(list, r), nil
}

// unescaped matches what clients forget to escape in a path: # and ?, which would end it, and a % that
// begins no escape.
var unescaped = lazyregexp.New(`[#?]|%(?:[^0-9A-Fa-f]|[0-9A-Fa-f]?(?:[^0-9A-Fa-f]|$)|$)`)

// pathOf returns the path of a file: URI of this machine on the given system.
func pathOf(uri, system string) (string, error) {
	u, err := url.Parse(unescaped.Get().ReplaceAllStringFunc(uri, func(s string) string {
		return fmt.Sprintf("%%%02X", s[0]) + s[1:]
	}))
	switch {
	case err != nil:
		return "", err
	case u.Scheme != "file" || u.Host != "" && u.Host != "localhost":
		return "", fmt.Errorf("%s is not a file on this machine", uri)
	case strings.ContainsRune(u.Path, 0):
		return "", fmt.Errorf("%s contains U+0000", uri)
	}
	path := u.Path
	if system != "windows" {
		return path, nil
	}
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return strings.ReplaceAll(files.Native(path), "/", `\`), nil
}
