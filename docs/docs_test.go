package docs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestEveryPageIsInTheIndexOnce(t *testing.T) {
	var listed []string
	for _, p := range Pages() {
		if p.Section == "" || p.About == "" {
			t.Errorf("README.md: %s needs a heading above it and a few words about it", p.Name)
		}
		listed = append(listed, p.Name+".md")
	}
	there, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	there = slices.DeleteFunc(there, func(name string) bool { return name == "README.md" })
	slices.Sort(listed)
	slices.Sort(there)
	if !slices.Equal(listed, there) {
		t.Errorf("README.md lists\n%v\nand the pages of this folder are\n%v", listed, there)
	}
}

func TestEveryItemOfTheIndexIsRead(t *testing.T) {
	index, err := Read("README")
	if err != nil {
		t.Fatal(err)
	}
	if items := strings.Count(index, "\n- "); len(Pages()) != items {
		t.Errorf("README.md has %d items and %d pages; an item is: - [NAME](NAME.md): what it is about", items, len(Pages()))
	}
}
