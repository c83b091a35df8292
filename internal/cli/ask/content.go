package ask

import (
	"encoding/base64"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// A block is a content block, as shown to people.
type block struct {
	Type     string
	Text     string
	Data     string
	MimeType string
	URI      string
	Name     string
	Resource contents
}

// contents are the contents of a resource.
type contents struct {
	URI      string
	MimeType string
	Text     *string
	Blob     *string
}

func (b block) text() string {
	switch b.Type {
	case "text":
		return b.Text
	case "image", "audio":
		return fmt.Sprintf("[%s, %s, %d bytes; --json prints it]", b.Type, b.MimeType,
			base64.StdEncoding.DecodedLen(len(b.Data)))
	case "resource_link":
		return fmt.Sprintf("[%s: `mcp-bash read %s`]", b.Name, console.Quote(b.URI))
	case "resource":
		if b.Resource.Text != nil {
			return *b.Resource.Text
		}
		return fmt.Sprintf("[%s, %s; --json prints it]", b.Resource.URI, b.Resource.MimeType)
	}
	return fmt.Sprintf("[%s; --json prints it]", b.Type)
}
