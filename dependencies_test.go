package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func TestEveryDirectDependencyIsExplained(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	for _, r := range module.Require {
		if !r.Indirect {
			required = append(required, r.Mod.Path)
		}
	}
	page, err := os.ReadFile("docs/DEPENDENCIES.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("^\\| `([^`]+\\.[^`]+)`")
	var explained []string
	for line := range strings.Lines(string(page)) {
		cells := row.FindStringSubmatch(line)
		if cells == nil {
			continue
		}
		explained = append(explained, cells[1])
		if strings.Count(line, " | ") != 4 || strings.Contains(line, " |  | ") {
			t.Errorf("docs/DEPENDENCIES.md: %s has not all of its five cells", cells[1])
		}
		if !slices.Contains(required, cells[1]) {
			t.Errorf("docs/DEPENDENCIES.md explains %s, which go.mod does not require directly", cells[1])
		}
	}
	for _, path := range required {
		if !slices.Contains(explained, path) {
			t.Errorf("docs/DEPENDENCIES.md has no row for %s", path)
		}
	}
}
