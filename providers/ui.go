package providers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A UI reads ui://SERVER/NAME: the HTML of an MCP App (AP-02).
type UI struct {
	// Find returns the page with a URI, or fs.ErrNotExist.
	Find func(ctx context.Context, uri string) (Page, error)
	// MaxBytes limits the HTML; 0 means 1 MiB.
	MaxBytes int64
}

// A Page is a page of the project: a file, or generated HTML.
type Page struct {
	Folder string          // absolute; the file is in it, also after resolving symbolic links
	File   string          // relative to the folder, such as index.html
	HTML   []byte          // instead of the file, if not nil
	Meta   json.RawMessage // the _meta of the content: an object, or nil
}

const maxPage = 1 << 20

// Read returns the page that a URI names.
func (u UI) Read(ctx context.Context, uri string) ([]Content, error) {
	page, err := u.Find(ctx, uri)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: no page is called %s", ErrNotFound, uri)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	html, err := page.read(cmp.Or(u.MaxBytes, maxPage))
	if err != nil {
		return nil, err
	}
	c := NewContent(uri, mcp.UIMIMEType, html)
	c.Meta = page.Meta
	return []Content{c}, nil
}

func (p Page) read(limit int64) ([]byte, error) {
	html, err := p.HTML, error(nil)
	if html == nil {
		dir, missing := os.OpenRoot(p.Folder)
		if missing != nil {
			return nil, fileFault(nil, missing)
		}
		defer dir.Close()
		html, err = readFile(dir, p.File, limit)
	}
	if errors.Is(err, ErrTooLarge) || int64(len(html)) > limit {
		return nil, fmt.Errorf("%w: the limit is %d bytes; raise MCPBASH_MAX_UI_RESOURCE_BYTES", ErrTooLarge, limit)
	}
	return html, err
}
