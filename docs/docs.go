// Package docs has the pages of this folder, which the program carries along.
package docs

import (
	"embed"
	"strings"
)

//go:embed *.md
var pages embed.FS

// A Page is a file beside this one, as README.md lists it.
type Page struct {
	Name    string // of the file, without .md
	Section string // the heading in README.md that it is under
	About   string // one line, in Markdown
}

// Pages returns the pages in the order of README.md, which is the one to read in.
func Pages() (all []Page) {
	index, _ := pages.ReadFile("README.md") // it is embedded
	section := ""
	for line := range strings.Lines(string(index)) {
		line = strings.TrimSuffix(line, "\n")
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			section = heading
		} else if name, about, ok := item(line); ok {
			all = append(all, Page{name, section, about})
		}
	}
	return all
}

// item reads a line of the index: - [NAME](NAME.md): about
func item(line string) (name, about string, ok bool) {
	rest, ok := strings.CutPrefix(line, "- [")
	if !ok {
		return "", "", false
	}
	name, rest, _ = strings.Cut(rest, "](")
	about, ok = strings.CutPrefix(rest, name+".md): ")
	return name, about, ok
}

// Read returns a page as Markdown.
func Read(name string) (string, error) {
	text, err := pages.ReadFile(name + ".md")
	return string(text), err
}

//go:embed schema/*.json
var schemas embed.FS

// Schema returns the JSON Schema of a kind of document in a project: tool, prompt, resource, resource-template,
// completion, ui, server or register.
func Schema(kind string) ([]byte, error) { return schemas.ReadFile("schema/" + kind + ".json") }
