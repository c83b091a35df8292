package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/matryer/is"
)

// always answers every call with the same result.
type always string

func (result always) Call(context.Context, string, map[string]any) (json.RawMessage, error) {
	return json.RawMessage(result), nil
}

func TestACommandThatNamesAResourceCanBePastedIntoAShell(t *testing.T) {
	is := is.New(t)
	b := block{Type: "resource_link", Name: "notes", URI: "file:///my notes;rm"}
	is.Equal(b.text(), "[notes: `mcp-bash read 'file:///my notes;rm'`]")
	b.URI = "file:///notes.md"
	is.Equal(b.text(), "[notes: `mcp-bash read file:///notes.md`]")

	var out bytes.Buffer
	a := Client{Server: always(`{"contents":[{"uri":"db://a?b&c","mimeType":"image/png","blob":"AAAA"}]}`), Out: &out, AsText: true}
	is.NoErr(a.Read(t.Context(), "db://a?b&c"))
	is.Equal(out.String(), "[image/png, 3 bytes; `mcp-bash read 'db://a?b&c' >FILE` writes them into a file]\n")
}
