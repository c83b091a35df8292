//go:build unix

package providers

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// blocks returns the code blocks of a page of the manual.
func blocks(t *testing.T, page, language string) []string {
	t.Helper()
	var found []string
	for _, part := range strings.Split(manual(t, page), "\n```"+language+"\n")[1:] {
		code, _, _ := strings.Cut(part, "```")
		found = append(found, code)
	}
	if len(found) == 0 {
		t.Fatalf("%s has no block of %s", page, language)
	}
	return found
}

func TestTheShellProviderOfTheManualWorks(t *testing.T) {
	is := is.New(t)
	project := t.TempDir()
	write(t, project, "providers/stock.sh", blocks(t, "PROVIDERS.md", "sh")[0])
	s := Set{Scripts: Scripts{Folder: filepath.Join(project, "providers"), Exec: execution(project)}}
	is.Equal(read(t, s, "stock://nails"), "resource unavailable: data/stock.csv cannot be read")
	write(t, project, "data/stock.csv", "screws,7\nnails,1200\n")
	is.Equal(read(t, s, "stock://nails"), `{"uri":"stock://nails","mimeType":"text/plain","text":"1200\n"}`)
	is.Equal(read(t, s, "stock://gold"), "resource not found: there is no item gold")
	is.Equal(read(t, s, "stock://../../etc/passwd"), "invalid resource URI: an item has lower-case letters, digits and hyphens")
	is.Equal(read(t, s, "stock://"), "invalid resource URI: an item has lower-case letters, digits and hyphens")
}

func TestTheTemplateOfTheManualWorks(t *testing.T) {
	is := is.New(t)
	rows := section(t, manual(t, "PROVIDERS.md"), "## A script for a template")
	path := write(t, t.TempDir(), "stock.sh", blocks(t, "PROVIDERS.md", "sh")[2])
	template, err := NewTemplate("stock://{warehouse}/{item}", Script{Path: path, Exec: execution("")})
	is.NoErr(err)
	uri := "stock://north/nails%20%26%20bolts"
	contents, err := template.Read(t.Context(), uri)
	is.NoErr(err)
	is.Equal(*contents[0].Text, "nails & bolts of north\n")

	show := write(t, t.TempDir(), "show.sh", "#!/bin/sh\nfor name in MCP_RESOURCE_TEMPLATE MCP_RESOURCE_VARS_JSON MCP_RESOURCE_VAR_WAREHOUSE MCP_RESOURCE_VAR_ITEM; do\n"+
		"  eval \"value=\\$$name\"\n  printf '| `%s` | `%s` |\\n' \"$name\" \"$value\"\ndone\n")
	template, err = NewTemplate("stock://{warehouse}/{item}", Script{Path: show, Exec: execution("")})
	is.NoErr(err)
	contents, err = template.Read(t.Context(), uri)
	is.NoErr(err)
	is.Equal(*contents[0].Text, strings.Join(rows, "\n")+"\n") // the table
}
