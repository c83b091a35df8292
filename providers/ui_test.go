package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// pages returns a UI provider with these pages, by the name in ui://demo/NAME.
func pages(known map[string]Page) UI {
	return UI{Find: func(_ context.Context, uri string) (Page, error) {
		p, ok := known[strings.TrimPrefix(uri, "ui://demo/")]
		if !ok {
			return Page{}, fmt.Errorf("page %s: %w", uri, fs.ErrNotExist)
		}
		return p, nil
	}}
}

func TestAPageIsHTMLOfAnApp(t *testing.T) {
	is := is.New(t)
	folder := t.TempDir()
	write(t, folder, "index.html", "<!doctype html>")
	u := pages(map[string]Page{
		"form":  {Folder: folder, File: "index.html", Meta: json.RawMessage(`{"ui":{"prefersBorder":true}}`)},
		"table": {HTML: []byte("<table>")},
	})
	is.Equal(read(t, u, "ui://demo/form"),
		`{"uri":"ui://demo/form","mimeType":"text/html;profile=mcp-app","text":"\u003c!doctype html\u003e","_meta":{"ui":{"prefersBorder":true}}}`) // AP-02
	is.Equal(read(t, u, "ui://demo/table"),
		`{"uri":"ui://demo/table","mimeType":"text/html;profile=mcp-app","text":"\u003ctable\u003e"}`)
	is.Equal(read(t, u, "ui://demo/none"), "resource not found: no page is called ui://demo/none")
}

func TestAPageIsReadFromItsFolder(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "ui")
	write(t, base, "secret", canary)
	write(t, folder, "index.html", "")
	link(t, filepath.Join("..", "secret"), filepath.Join(folder, "link.html"))
	for _, file := range []string{"../secret", "link.html", filepath.Join(base, "secret"), "."} {
		is := is.New(t)
		_, err := pages(map[string]Page{"x": {Folder: folder, File: file}}).Read(t.Context(), "ui://demo/x")
		is.True(errors.Is(err, ErrDenied))
	}
	is := is.New(t)
	_, err := pages(map[string]Page{"x": {Folder: folder, File: "none.html"}}).Read(t.Context(), "ui://demo/x")
	is.True(errors.Is(err, ErrNotFound))
	_, err = pages(map[string]Page{"x": {Folder: filepath.Join(base, "none"), File: "index.html"}}).Read(t.Context(), "ui://demo/x")
	is.True(errors.Is(err, ErrNotFound))
}

func TestAPageHasALimit(t *testing.T) {
	is := is.New(t)
	folder := t.TempDir()
	big := strings.Repeat("x", maxPage+1)
	write(t, folder, "big.html", big)
	write(t, folder, "full.html", big[1:])
	u := pages(map[string]Page{
		"file": {Folder: folder, File: "big.html"},
		"made": {HTML: []byte(big)},
		"full": {Folder: folder, File: "full.html"},
	})
	for _, name := range []string{"file", "made"} {
		is.Equal(read(t, u, "ui://demo/"+name), "resource too large: the limit is 1048576 bytes; raise MCPBASH_MAX_UI_RESOURCE_BYTES")
	}
	_, err := u.Read(t.Context(), "ui://demo/full")
	is.NoErr(err)
}

func TestAFailedFindIsUnavailable(t *testing.T) {
	is := is.New(t)
	u := UI{Find: func(context.Context, string) (Page, error) {
		return Page{}, errors.New("ui.meta.json:3: no such template")
	}}
	is.Equal(read(t, u, "ui://demo/x"), "resource unavailable: ui.meta.json:3: no such template")
}
