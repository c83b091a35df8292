package house

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// documents are all Markdown files of the repository, by their path, without test data.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md" && path != "llms.txt":
			return nil
		}
		text, err := os.ReadFile(path)
		all[filepath.ToSlash(path)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 40 {
		t.Fatalf("found only %d documents", len(all))
	}
	return all
}

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	inCode   = regexp.MustCompile("`[^`\n]*`")
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	mark     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)|[*\x60]`)
)

// anchors returns the anchors that GitHub generates for the headings of a document.
func anchors(document string) map[string]bool {
	all := make(map[string]bool)
	for _, heading := range headings.FindAllStringSubmatch(fenced.ReplaceAllString(document, ""), -1) {
		all[slug(mark.ReplaceAllString(heading[1], "$1"))] = true
	}
	return all
}

// slug converts a heading to lower case, with hyphens for blanks and without punctuation.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// broken returns the broken links of a document.
func broken(path, document string) (links []string) {
	text := inCode.ReplaceAllString(fenced.ReplaceAllString(document, ""), "")
	for _, link := range linked.FindAllStringSubmatch(text, -1) {
		file, anchor, _ := strings.Cut(link[1], "#")
		if strings.Contains(file, ":") { // on the web
			continue
		}
		content := document
		if file != "" {
			target := filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			info, err := os.Stat(target)
			if err != nil {
				links = append(links, link[1])
				continue
			}
			if info.IsDir() {
				target = filepath.Join(target, "README.md")
			}
			if anchor != "" {
				b, _ := os.ReadFile(target) // an unreadable file has no anchors
				content = string(b)
			}
		}
		if anchor != "" && !anchors(content)[anchor] {
			links = append(links, link[1])
		}
	}
	return links
}

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	for path, text := range documents(t) {
		for _, link := range broken(path, text) {
			t.Errorf("%s links to %s, which does not exist", path, link)
		}
	}
}

func TestALinkThatLeadsNowhereIsFound(t *testing.T) {
	document := "# One `two`, three!\n[a](#one-two-three) [b](#none) [c](go.mod) [d](gone.md) [e](docs/README.md#begin) [f](docs/README.md#end)\n" +
		"`[g](code.md)` [h](https://example.com/x)\n```\n# Four\n[i](code.md)\n```\n[j](#four) [k](docs#begin)\n"
	if got := strings.Join(broken("README.md", document), " "); got != "#none gone.md docs/README.md#end #four" {
		t.Errorf("found %s", got)
	}
}
