package examples

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestEveryReadmeHasWhatANewcomerNeeds(t *testing.T) {
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			is := is.New(t)
			content, err := e.Files()
			is.NoErr(err)
			text, err := fs.ReadFile(content, "README.md")
			is.NoErr(err)
			readme := string(text)
			is.True(strings.HasPrefix(readme, "# "+e.Name+"\n\n"))                // its name
			is.True(e.Title != "" && len(e.Title) < 120)                          // its subject
			is.True(strings.Contains(readme, "\nNeeds "))                         // prerequisites
			is.True(strings.Contains(readme, "\n```console\n$ "))                 // commands, whose output the tests compare
			is.True(strings.Contains(readme, "\n## What you have learned\n\n- ")) // and the result
			_, troubles, _ := strings.Cut(readme, "\n## If it does not work\n")
			is.True(strings.TrimSpace(troubles) != "") // common mistakes
			_, command, _ := strings.Cut(readme, "Copy it with `mcp-bash example ")
			name, _, _ := strings.Cut(command, "`")
			found := Named(name)
			is.Equal(len(found), 1) // the command names one example
			is.Equal(found[0].Name, e.Name)
			if conversations, _ := fs.Glob(content, "replay/*.client.ndjson"); conversations != nil {
				is.True(strings.Contains(readme, "In a checkout, `./examples/run "+name+"` serves it")) // without a copy
				is.True(strings.Contains(readme, "\n{\"jsonrpc\":\"2.0\",\"id\":"))                     // what it answers
			}
		})
	}
}

func TestNumbersOfExamplesAreUnique(t *testing.T) {
	is := is.New(t)
	all := All()
	is.True(len(all) > 20)
	seen := make(map[string]bool)
	for _, e := range all {
		number, _, _ := strings.Cut(e.Name, "-")
		is.True(!seen[number] || number > "9") // two examples with the same number
		seen[number] = true
	}
	is.Equal(len(Named("nothing")), 0)
	is.Equal(Named("04"), Named("04-timeouts"))
	is.Equal(Named("timeouts"), Named("04-timeouts"))
	is.Equal(len(Named("time")), 0)
}

func TestAllFilesOfAFolderAreEmbedded(t *testing.T) {
	is := is.New(t)
	count := 0
	for _, e := range All() {
		content, err := e.Files()
		is.NoErr(err)
		is.NoErr(fs.WalkDir(content, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			count++
			carried, err := fs.ReadFile(content, name)
			is.NoErr(err)
			there, err := os.ReadFile(path.Join(e.Name, name))
			is.NoErr(err)
			is.Equal(string(carried) == string(there), true) // the same bytes
			return nil
		}))
	}
	is.True(count > 150)
}
