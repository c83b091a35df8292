package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/mediatype"
)

// resourcesOf returns the resources of a new project with the files of an archive.
func resourcesOf(t testing.TB, archive string) Snapshot[*Resource] {
	t.Helper()
	return all(t, opened(t, folderOf(t, archive), Options{}).Resources)
}

func TestEveryFileBelowResourcesIsOne(t *testing.T) {
	is := is.New(t)
	s := resourcesOf(t, `
-- resources/notes.md --
-- resources/a/b/c/d/deep.txt --
-- resources/README.md --
-- resources/script.sh --
-- resources/.hidden --
-- resources/.git/config --
-- resources/notes.md~ --
-- resources/#notes.md# --
-- resources/notes.md.completion.sh --
-- resources/notes.completion --
-- resources/node_modules/x.js --
-- other/x --
`)
	is.Equal(names(s), "README deep notes script")
	is.Equal(faults(s), "")
}

func TestAResourceSaysAllThatItsMetadataSays(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- resources/notes.md --
hello
-- resources/notes.meta.json --
{
  "name": "my notes", "title": "Notes", "description": "What I know.",
  "uri": "notes://all", "mimeType": "text/x-notes", "size": 3, "provider": "notebook",
  "annotations": {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2025-01-31T10:00:00Z", "own": 1},
  "icons": [{"src": "https://x/a.png"}],
  "_meta": {"a/b": 1.0},
  "author": "somebody"
}
`)
	r := only(t, all(t, opened(t, root, Options{}).Resources))
	size := int64(3)
	want := &Resource{
		Described: Described{Name: "my notes", Title: "Notes", Description: "What I know.",
			Icons: []byte(`[{"src":"https://x/a.png"}]`), Meta: []byte(`{"a/b":1.0}`),
			MetadataFile: filepath.Join(root, "resources", "notes.meta.json"), Metadata: r.Metadata}, URI: "notes://all",
		MIMEType: "text/x-notes", Size: &size,
		Annotations: []byte(`{"audience":["user","assistant"],"priority":0.5,"lastModified":"2025-01-31T10:00:00Z","own":1}`),
		Path:        filepath.Join(root, "resources", "notes.md"), Provider: "notebook",
	}
	is.Equal(cmp.Diff(want, r, cmpopts.IgnoreUnexported(Resource{})), "") // every field
	is.True(strings.HasSuffix(string(r.Metadata), `"author":"somebody"}`))
}

func TestAResourceWithoutMetadataHasDefaults(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- resources/a b/ü%#?.txt --\nhello\n")
	r := only(t, all(t, opened(t, root, Options{}).Resources))
	size := int64(6)
	path := filepath.Join(root, "resources", "a b", "ü%#?.txt")
	want := &Resource{
		Described: Described{Name: "ü%#?"}, URI: "file://" + filepath.ToSlash(root) + "/resources/a%20b/%C3%BC%25%23%3F.txt",
		MIMEType: "text/plain", Size: &size, Path: path, Provider: "file"}
	is.Equal(cmp.Diff(want, r, cmpopts.IgnoreUnexported(Resource{})), "") // nothing else is set
}

func TestWhereMetadataOfResourcesComesFrom(t *testing.T) {
	cases := []struct{ name, files, description string }{
		{"JSON", "-- resources/a.md --\n-- resources/a.meta.json --\n{\"description\":\"x\"}\n", "x"},
		{"YAML", "-- resources/a.md --\n-- resources/a.md.meta.yaml --\ndescription: x\n", "x"},
		{"a comment of Markdown", "-- resources/a.md --\n<!-- mcp: {\"description\":\"x\"} -->\n# Title\n", "x"},
		{"a comment of a script", "-- resources/a.py --\n# mcp: {\"description\":\"x\"}\n", "x"},
		{"a comment of JavaScript", "-- resources/a.js --\n\n// mcp: {\"description\":\"x\"}\n", "x"},
		{"not a heading", "-- resources/a.md --\n# mcp: what it is\n", ""},
		{"not an image", "-- resources/a.png --\n# mcp: {\"description\":\"x\"}\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			is.Equal(only(t, resourcesOf(t, c.files)).Description, c.description)
		})
	}
}

func TestMetadataAloneCanBeAResource(t *testing.T) {
	is := is.New(t)
	s := resourcesOf(t, "-- resources/status.meta.json --\n{\"uri\":\"myapi://status\"}\n-- resources/none.meta.json --\n{\"title\":\"x\"}\n")
	is.Equal(names(s), "status")
	is.Equal(s.Items[0].Provider+s.Items[0].Path+s.Items[0].MIMEType, "myapi") // what a provider serves
	is.Equal(faults(s), "resources/none.meta.json:1: uri: is missing; "+
		"write a uri or a uriTemplate, or give the metadata the name of its file: notes.meta.json for notes.md")
}

func TestProvidersOfURIs(t *testing.T) {
	is := is.New(t)
	for uri, want := range map[string]string{
		"file:///x": "file", "https://x/y": "https", "git+https://x/y": "git", "MyAPI://x": "myapi", "ui://a/b": "ui",
	} {
		is.Equal(providerOf(uri), want)
	}
}

func TestMIMETypes(t *testing.T) {
	cases := []struct{ name, content, want string }{
		{"a.md", "", "text/markdown"},
		{"a.JSON", "", "application/json"},
		{"a.png", "no image", "image/png"}, // the name is believed
		{"a.yaml", "", "application/yaml"},
		{"png", "\x89PNG\r\n\x1a\n\x00", "image/png"},
		{"jpeg", "\xff\xd8\xff\xe0", "image/jpeg"},
		{"gif", "GIF89a", "image/gif"},
		{"pdf", "%PDF-1.7", "application/pdf"},
		{"zip", "PK\x03\x04", "application/zip"},
		{"gzip", "\x1f\x8b\x08", "application/gzip"},
		{"page", "\n <!DOCTYPE HTML>", "text/html"},
		{"feed", "<?xml version='1.0'?>", "application/xml"},
		{"script", "#!/bin/sh\n", "application/x-sh"},
		{"LICENSE", "Permission is granted", "text/plain"},
		{"empty", "", "text/plain"},
		{"bom", "\uFEFFhello", "text/plain"},
		{"program", "\x7fELF\x00\x01", "application/octet-stream"},
		{"latin1", "caf\xe9 noir", "application/octet-stream"},
		{"cut", strings.Repeat("x", mediatype.Sniffed-1) + "é", "text/plain"}, // a character at the border
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			put(t, root, "resources/"+c.name, c.content)
			chmod(t, root, "resources/"+c.name, 0o644)
			is.Equal(only(t, all(t, opened(t, root, Options{}).Resources)).MIMEType, c.want)
		})
	}
}

func TestAFieldOfAResourceThatIsWrongIsNamedWithItsLine(t *testing.T) {
	cases := []struct{ metadata, fault string }{
		{`{"name": " "}`, `:1: name: is not a name; write a word or two, on one line`},
		{`{"name": "a\nb"}`, `:1: name: is not a name; write a word or two, on one line`},
		{"{\n\"uri\": \"a b\"}",
			`:2: uri: is not a URI; write scheme:rest as RFC 3986 has it, as in notes://today or file:///data/a%20b.txt`},
		{`{"uri": "notes"}`, `:1: uri: is not a URI; write scheme:rest as RFC 3986 has it, as in notes://today or file:///data/a%20b.txt`},
		{`{"uri": "file:///a b"}`,
			`:1: uri: has characters that no URI may have, so it is served as file:///a%20b; percent-encode them: a space is %20`},
		{`{"uri": "file:///ü"}`,
			`:1: uri: has characters that no URI may have, so it is served as file:///%C3%BC; percent-encode them: a space is %20`},
		{`{"uri": "x:` + strings.Repeat("a", uriBytes) + `"}`, `:1: uri: is too long for a URI`},
		{`{"mimeType": "markdown"}`, `:1: mimeType: is not a media type; write it as in text/markdown`},
		{`{"size": -1}`, `:1: size: must be from 0 to 9007199254740992`},
		{`{"size": 1.5}`, `:1: size: must be a whole number`},
		{`{"annotations": {"audience": "user"}}`, `:1: annotations.audience: must be an array, not a string`},
		{`{"annotations": {"audience": ["user", "me"]}}`,
			`:1: annotations.audience.1: must be one of user, assistant, not "me"`},
		{`{"annotations": {"priority": 2}}`, `:1: annotations.priority: must be from 0 to 1`},
		{`{"annotations": {"lastModified": "yesterday"}}`,
			`:1: annotations.lastModified: is not a time; write it as in "2025-01-31T15:04:05Z"`},
		{`{"icons": [1]}`, `:1: icons.0: must be an object, not a number; write {"src":"icon.png"}`},
		{`{"_meta": []}`, `:1: _meta: must be an object, not an array`},
		{`{"title": 1}`, `:1: title: must be a string, not a number; write "1"`},
	}
	for _, c := range cases {
		t.Run(c.metadata[:min(len(c.metadata), 50)], func(t *testing.T) {
			is := is.New(t)
			s := resourcesOf(t, "-- resources/a.md --\n-- resources/a.meta.json --\n"+c.metadata+"\n-- resources/good.md --\n")
			is.Equal(faults(s), "resources/a.meta.json"+c.fault) // file, line, field, and what to do
			is.Equal(names(s), "a good")                         // it costs the value alone
		})
	}
}

func TestFilesOfOneNameAreAllServed(t *testing.T) {
	is := is.New(t)
	s := resourcesOf(t, "-- resources/logo.png --\n-- resources/logo.svg --\n-- resources/a/logo.png --\n")
	is.Equal(names(s), "a/logo.png logo logo.svg") // the first by path has the short name
	is.Equal(faults(s), "")
}

func TestTheFirstOfTwoResourcesWithOneNameOrURIStays(t *testing.T) {
	is := is.New(t)
	s := resourcesOf(t, `
-- resources/a.md --
<!-- mcp: {"name": "x", "uri": "n://1"} -->
-- resources/b.md --
<!-- mcp: {"name": "y", "uri": "n://1"} -->
-- resources/c.meta.json --
{"name": "x", "uri": "n://2"}
`)
	is.Equal(names(s), "x")
	is.Equal(faults(s), `resources/b.md: uri: "n://1" is the uri of resources/a.md already, so this resource is left out; give one of the two another uri`+"\n"+
		`resources/c.meta.json: name: "x" is the name of resources/a.md already, so this resource is left out; give one of the two another name`)
}

func TestResourcesAreFoundByURIAndName(t *testing.T) {
	is := is.New(t)
	p := opened(t, folderOf(t, "-- resources/a.md --\n<!-- mcp: {\"uri\": \"n://1\"} -->\n"), Options{})
	for range 2 { // at first by a scan
		r, err := p.Resource(t.Context(), "n://1")
		is.NoErr(err)
		is.Equal(r.Name, "a")
		r, err = p.ResourceNamed(t.Context(), "a")
		is.NoErr(err)
		is.Equal(r.URI, "n://1")
	}
	_, err := p.Resource(t.Context(), "n://2")
	is.True(errors.Is(err, ErrUnknownResource))
	is.Equal(err.Error(), "unknown resource: n://2")
}

func TestAFileThatGrowsDoesNotChangeTheList(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- resources/a.log --\nx\n")
	p := opened(t, root, Options{})
	before := all(t, p.Resources)
	put(t, root, "resources/a.log", "x\ny\n")
	now := all(t, p.Resources)
	is.Equal(*now.Items[0].Size, int64(4)) // its size is told
	is.Equal(now.Hash, before.Hash)        // but the list is the same
	declared := func(size string) string {
		return resourcesOf(t, "-- resources/a.meta.json --\n{\"uri\":\"n://1\",\"size\":"+size+"}\n").Hash
	}
	is.True(declared("1") != declared("2")) // a size that metadata tells is part of it
}

func TestLinksThatLeaveResourcesAreRefused(t *testing.T) {
	is := is.New(t)
	elsewhere := folderOf(t, "-- secret.txt --\n-- x/y.txt --\n")
	root := folderOf(t, "-- resources/good.txt --\n-- resources/a/x.txt --\n")
	link(t, root, filepath.Join(elsewhere, "secret.txt"), "resources/secret.txt")
	link(t, root, filepath.Join(elsewhere, "x"), "resources/b")
	link(t, root, "..", "resources/a/up")
	s := all(t, opened(t, root, Options{}).Resources)
	is.Equal(names(s), "good x")
	is.Equal(faults(s), strings.TrimSpace(`
resources/a/up: the link leads to a folder that contains it, so it is not followed; remove it
resources/b: the link leads out of resources/, so it is not followed; put a copy or a small script in its place
resources/secret.txt: the link leads out of resources/, so it is not followed; put a copy or a small script in its place`))
	is.True(!s.Faults[0].Warning)
	is.True(s.Faults[1].Warning && s.Faults[2].Warning) // no fault of the link
}

func TestResourcesThatLieTooDeepArePointedOut(t *testing.T) {
	is := is.New(t)
	deep := strings.Repeat("d/", filesDepth)
	s := resourcesOf(t, "-- resources/"+deep+"a --\n-- resources/"+deep+"e/b --\n")
	is.Equal(names(s), "a")
	is.Equal(faults(s), "resources/"+deep+"e: is nested too deep for a resource to be found; put it into fewer folders")
}

func TestAResourceIsKeptUpWith(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, "-- resources/a.md --\n")
	p := opened(t, root, Options{})
	is.Equal(names(all(t, p.Resources)), "a")
	put(t, root, "resources/b/c.md", "")
	is.Equal(names(all(t, p.Resources)), "a c") // a new one
	put(t, root, "resources/b/c.meta.yml", "name: d")
	is.Equal(names(all(t, p.Resources)), "a d") // described anew
	put(t, root, "resources/b/c.meta.yml", "name: [")
	is.Equal(names(all(t, p.Resources)), "a d") // half saved
	is.NoErr(os.RemoveAll(filepath.Join(root, "resources", "b")))
	is.Equal(names(all(t, p.Resources)), "a") // gone
}

func TestAFileThatStandsInForAResourceIsNotTheResource(t *testing.T) {
	is := is.New(t)
	root := folderOf(t, `
-- resources/a.txt --
a note to the author
-- resources/a.meta.json --
{"uri": "echo://hello%20world"}
`)
	r := only(t, all(t, opened(t, root, Options{}).Resources))
	is.Equal(r.URI, "echo://hello%20world") // a host may have escapes
	is.True(r.Size == nil)                  // nobody knows how long that is
}

func TestAReadmeBesideTheResourceOfItsFolderIsAboutIt(t *testing.T) {
	for archive, want := range map[string]string{
		"-- resources/stock/stock.csv --\n-- resources/stock/stock.meta.json --\n{}\n-- resources/stock/README.md --\n":                                             "stock",
		"-- resources/stock/stock.csv --\n-- resources/stock/stock.meta.json --\n{}\n-- resources/stock/README.md --\n-- resources/stock/README.meta.json --\n{}\n": "README stock",
		"-- resources/stock/stock.csv --\n-- resources/stock/README.md --\n":                                                                                        "README stock",
		"-- resources/README.md --\n": "README",
	} {
		is := is.New(t)
		p := opened(t, folderOf(t, archive), Options{})
		is.Equal(says(t, p.Resources), want)
	}
}
