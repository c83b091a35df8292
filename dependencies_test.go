package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func moduleFile(t *testing.T, path string) *modfile.File {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	module, err := modfile.Parse(path, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func TestEveryDirectDependencyIsExplained(t *testing.T) {
	var required []string
	for _, r := range moduleFile(t, "go.mod").Require {
		if !r.Indirect {
			required = append(required, r.Mod.Path)
		}
	}
	linters := moduleFile(t, ".ci/tools/go.mod")
	for _, tool := range linters.Tool {
		i := slices.IndexFunc(linters.Require, func(r *modfile.Require) bool { return strings.HasPrefix(tool.Path+"/", r.Mod.Path+"/") })
		required = append(required, linters.Require[i].Mod.Path)
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
			t.Errorf("docs/DEPENDENCIES.md explains %s, which neither go.mod nor .ci/tools/go.mod requires directly", cells[1])
		}
	}
	for _, path := range required {
		if !slices.Contains(explained, path) {
			t.Errorf("docs/DEPENDENCIES.md has no row for %s", path)
		}
	}
}
