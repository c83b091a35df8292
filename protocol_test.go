package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A requirement is a row of docs/PROTOCOL.md.
type requirement struct {
	id    string
	shown string // the tests, or why there is none
}

var (
	identifier = regexp.MustCompile(`^[A-Z]{1,2}-\d{2}$`)
	reference  = regexp.MustCompile("`([a-z0-9-]+\\.(?:Test|Fuzz|Example)[^`]*)`")
)

// requirements reads the rows of a document: id | what | shown by.
func requirements(t *testing.T, path string) []requirement {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []requirement
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		id := strings.TrimSpace(cells[0])
		if !identifier.MatchString(id) {
			continue
		}
		if len(cells) != 3 {
			t.Errorf("%s: %s has %d cells, should have 3", path, id, len(cells))
			continue
		}
		all = append(all, requirement{id, strings.TrimSpace(cells[2])})
	}
	return all
}

func TestEveryRequirementOfTheProtocolIsShownByATestThatExists(t *testing.T) {
	tests := testNames(t)
	var ids []string
	for _, r := range requirements(t, "docs/PROTOCOL.md") {
		if slices.Contains(ids, r.id) {
			t.Errorf("%s stands twice", r.id)
		}
		ids = append(ids, r.id)
		names := reference.FindAllStringSubmatch(r.shown, -1)
		if reason := regexp.MustCompile("^(no test|differs): .").FindString(r.shown); len(names) == 0 && reason == "" {
			t.Errorf("%s names neither a test nor, after \"no test: \" or \"differs: \", the reason why there is none", r.id)
		}
		for _, name := range names {
			test, part, _ := strings.Cut(name[1], "/")
			if !tests[test] {
				t.Errorf("%s is shown by %s, which does not exist", r.id, test)
			}
			if part != "" && !partExists(test, part) {
				t.Errorf("%s is shown by %s, which has no part %s", r.id, test, part)
			}
		}
	}
	if len(ids) < 300 {
		t.Errorf("found only %d requirements", len(ids))
	}
}

// parts are the folders of tests that run a subtest for each file.
var parts = map[string]string{
	"e2e.TestRecordedConversations": "e2e/testdata/*.client.ndjson",
	"mcp-bash.TestTheCommandLine":   "cmd/mcp-bash/testdata/script/*.txtar",
}

// partExists reports whether a test has a subtest of that name.
func partExists(test, part string) bool {
	pattern, ok := parts[test]
	if !ok {
		return false
	}
	if project, conversation, ok := strings.Cut(part, "/"); ok {
		part = project + "/replay/" + conversation
	}
	_, err := os.Stat(strings.Replace(pattern, "*", part, 1))
	return err == nil
}

// testNames returns all tests, as package.TestName. A package is identified by its folder.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[filepath.Base(filepath.Dir(path))+"."+f.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestCodesInCommentsAreRowsOfTheProtocol(t *testing.T) {
	rows := make(map[string]bool)
	for _, r := range requirements(t, "docs/PROTOCOL.md") {
		rows[r.id] = true
	}
	code, found := regexp.MustCompile(`\b[A-Z]{1,2}-\d{1,2}\b`), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range tree.Comments {
			for _, id := range code.FindAllString(group.Text(), -1) {
				if found++; !rows[id] {
					t.Errorf("%s: a comment says %s, which is not a row of docs/PROTOCOL.md: write what it means", path, id)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Errorf("found only %d codes", found)
	}
}

// The list of requirements is not part of this repository. If it is beside it, no row may be
// missing.
func TestNoRequirementOfTheProtocolIsMissing(t *testing.T) {
	const list = "../shared/mcp/requirements.md"
	text, err := os.ReadFile(list)
	if err != nil {
		t.Skipf("the list of requirements is missing, so its rows are not counted: %v", err)
	}
	var ours, listed []string
	for _, r := range requirements(t, "docs/PROTOCOL.md") {
		ours = append(ours, r.id)
	}
	_, rows, _ := strings.Cut(string(text), "\n## C. ")
	rows, _, _ = strings.Cut(rows, "\n## ")
	for line := range strings.Lines(rows) {
		id, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !identifier.MatchString(id) {
			continue
		}
		listed = append(listed, id)
		if !slices.Contains(ours, id) {
			t.Errorf("docs/PROTOCOL.md has no row %s", id)
		}
	}
	for _, id := range ours {
		if !slices.Contains(listed, id) && !strings.HasPrefix(id, "H") { // the list leaves HTTP out
			t.Errorf("docs/PROTOCOL.md has a row %s, which the list has not", id)
		}
	}
}
