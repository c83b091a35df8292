package ask

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// Read reads a resource and prints its contents.
func (a *Client) Read(ctx context.Context, uri string) error {
	var r struct{ Contents []contents }
	if err := a.ask(ctx, "resources/read", map[string]any{"uri": uri}, "the contents of "+uri, &r); err != nil {
		return err
	}
	for _, c := range r.Contents {
		if err := a.contents(c); err != nil {
			return fmt.Errorf("the contents of %s: %w", c.URI, err)
		}
	}
	return nil
}

func (a *Client) contents(c contents) error {
	switch {
	case c.Text != nil && (a.Terminal || a.AsText):
		a.Write(*c.Text)
	case c.Text != nil:
		_, err := io.WriteString(a.Out, *c.Text)
		return err
	case c.Blob != nil:
		data, err := base64.StdEncoding.DecodeString(*c.Blob)
		if err != nil {
			return err
		}
		if a.Terminal || a.AsText {
			a.Write(fmt.Sprintf("[%s, %d bytes; `mcp-bash read %s >FILE` writes them into a file]", c.MimeType, len(data),
				console.Quote(c.URI)))
			return nil
		}
		_, err = a.Out.Write(data)
		return err
	}
	return nil
}
