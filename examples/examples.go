// Package examples embeds the example projects of this folder.
package examples

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed all:*
var files embed.FS

// An Example is one of the folders beside this file.
type Example struct {
	Name  string // of its folder
	Title string // the first sentence of its README
}

// All returns the examples in the order of their names, which is the order to read them in.
func All() []Example {
	folders, _ := files.ReadDir(".") // the root of the embedded files
	var all []Example
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		readme, _ := files.ReadFile(path.Join(f.Name(), "README.md")) // a test requires one in each
		all = append(all, Example{f.Name(), firstSentence(string(readme))})
	}
	return all
}

// Named returns the example whose folder has that name, or else those of which it is a part between dashes: 04 is
// 04-timeouts, and so is timeouts.
func Named(name string) []Example {
	var some []Example
	for _, e := range All() {
		if e.Name == name {
			return []Example{e}
		}
		if strings.Contains("-"+e.Name+"-", "-"+name+"-") {
			some = append(some, e)
		}
	}
	return some
}

// Files returns the files of an example. Scripts are not executable in it.
func (e Example) Files() (fs.FS, error) { return fs.Sub(files, e.Name) }

// firstSentence returns the first sentence below the heading of a document.
func firstSentence(document string) string {
	_, text, _ := strings.Cut(document, "\n\n")
	text, _, _ = strings.Cut(text, "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	for i := range text {
		if end := text[i:]; strings.HasPrefix(end, ". ") || strings.HasPrefix(end, ": ") || end == "." || end == ":" {
			return text[:i]
		}
	}
	return text
}
