package run

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// An embedded file is one that a tool named in MCP_TOOL_RESOURCES_FILE.
type embedded struct {
	Path     string `json:"path"`     // absolute, or from the project's folder
	URI      string `json:"uri"`      // what the client sees; a file: URI can also take the place of Path
	MimeType string `json:"mimeType"` // if empty, found by name and content
}

const (
	maxEmbedded     = 1000 // files in one result
	maxLoggedFaults = 10   // that are logged one by one
)

var errTooMany = fmt.Errorf("it names more than %d files; the rest is left out", maxEmbedded)

func clip(path string) string {
	const most = 1 << 10
	if len(path) <= most {
		return path
	}
	return path[:most] + "…"
}

// parseEmbedded reads the file: JSON (a path, an object, or an array of them),
// or lines of path, MIME type and URI with tabs between. If there are too many, it
// returns the first ones and an error.
func parseEmbedded(text []byte) ([]embedded, error) {
	text = bytes.TrimSpace(text)
	var all []embedded
	switch json.Value(text).Kind() {
	case '[':
		var items []json.Value
		if err := json.Unmarshal(text, &items, json.Lenient); err != nil {
			return nil, err
		}
		for i, item := range items {
			if i == maxEmbedded {
				return all, errTooMany
			}
			e, err := parseItem(item)
			if err != nil {
				return nil, fmt.Errorf("item %d: %w", i, err)
			}
			all = append(all, e)
		}
		return all, nil
	case '{', '"':
		e, err := parseItem(text)
		if err == nil {
			all = append(all, e)
		}
		return all, err
	}
	for line := range strings.Lines(string(text)) {
		fields := append(strings.Split(strings.TrimRight(line, "\r\n"), "\t"), "", "")
		if fields[0] == "" {
			continue
		}
		if len(all) == maxEmbedded {
			return all, errTooMany
		}
		all = append(all, embedded{Path: fields[0], MimeType: fields[1], URI: fields[2]})
	}
	return all, nil
}

func parseItem(item json.Value) (e embedded, err error) {
	if item.Kind() == '"' {
		return e, json.Unmarshal(item, &e.Path, json.Lenient)
	}
	if err := json.Unmarshal(item, &e, json.Lenient); err != nil {
		return e, err
	}
	if e.Path == "" {
		if u, err := url.Parse(e.URI); err == nil && u.Scheme == "file" {
			e.Path = filepath.FromSlash(u.Path)
		}
	}
	if e.Path == "" {
		return e, errors.New("it has no path")
	}
	return e, nil
}

// embed adds the files that the tool named to its result. A file that cannot be read, or
// is outside of the roots, is left out and reported in a log message. Files are read under
// rules, the sandbox of the tool, so that it gets nothing that it could not read itself;
// nil for no sandbox.
func (r *Runtime) embed(o *finished, f *folder, rules *cage.Rules, result *mcp.CallToolResult) {
	room := cmp.Or(r.Limits.Output, defaultOutput)
	var named []embedded
	text, err := f.read(resourcesName, room)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		named, err = parseEmbedded(text)
	}
	if err != nil {
		r.warn(o, fmt.Sprintf("MCP_TOOL_RESOURCES_FILE: %v", err))
	}
	if len(named) == 0 {
		return
	}
	within := []string{r.Root, f.path}
	for _, root := range o.call.Folders {
		within = append(within, root.Path)
	}
	var faults []string
	read := func() error {
		for _, e := range named {
			content, err := readWithin(within, r.Root, e.Path, room)
			if err != nil {
				faults = append(faults, fmt.Sprintf("resource %s is left out of the result: %v", clip(e.Path), err))
				continue
			}
			room -= len(content)
			result.Content = append(result.Content, e.block(r.Root, content))
		}
		return nil
	}
	if rules == nil {
		_ = read()
	} else if err := rules.Do(read); err != nil {
		r.warn(o, fmt.Sprintf("resources are left out of the result: %v", err))
		return
	}
	for _, fault := range faults[:min(len(faults), maxLoggedFaults)] {
		r.warn(o, fault)
	}
	if more := len(faults) - maxLoggedFaults; more > 0 {
		r.warn(o, fmt.Sprintf("and %d more resources are left out of the result", more))
	}
}

// warn sends a warning to the client and to the server's log.
func (r *Runtime) warn(o *finished, text string) {
	text = strings.ToValidUTF8(text, "\ufffd")
	r.Log.Warn(text, "tool", o.call.Tool.Name)
	// it is in the log
	_ = o.listener.message(o.listener.context,
		mcp.LogParams{Level: mcp.Warning, Logger: "mcp.tools", Data: o.call.Tool.Name + ": " + text})
}

// readWithin reads a file that is in one of the roots, also after its symbolic
// links are resolved.
func readWithin(roots []string, base, path string, max int) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	why := errors.New("it is outside of the roots")
	for _, root := range roots {
		inside, ok := files.Inside(root, path)
		if !ok {
			continue
		}
		content, err := readInRoot(root, inside, max)
		if err == nil {
			return content, nil
		}
		why = err
	}
	return nil, why
}

func readInRoot(root, inside string, max int) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return files.ReadIn(dir, inside, int64(max))
}

// block returns the content block of an embedded file: as text if it is text, else as base64.
func (e embedded) block(base string, content []byte) mcp.Content {
	type resource struct {
		URI      string  `json:"uri"`
		MimeType string  `json:"mimeType"`
		Text     *string `json:"text,omitzero"`
		Blob     string  `json:"blob,omitzero"`
	}
	about := resource{URI: e.URI, MimeType: e.MimeType}
	if about.URI == "" {
		path := e.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		about.URI = files.URI(path)
	}
	if about.MimeType == "" {
		about.MimeType = mediatype.Of(filepath.ToSlash(e.Path), content)
	}
	if isText(content) {
		text := string(content)
		about.Text = &text
	} else {
		about.Blob = base64.StdEncoding.EncodeToString(content)
	}
	return mcp.ContentOf(json.Encode(struct {
		Type     string   `json:"type"`
		Resource resource `json:"resource"`
	}{"resource", about}))
}

// isText reports whether content can be sent as text without losing a byte.
func isText(content []byte) bool {
	return utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}
