// Package madetest holds files that tests make, such as pages of the docs, against what the program says. With -update
// the tests write them. Only tests import it.
package madetest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// File holds a file against what it should be.
func File(t testing.TB, path, want string) {
	t.Helper()
	now, err := os.ReadFile(path)
	if *pipetest.Update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Errorf("%v; %s makes it", err, command(t))
	} else if diff := cmp.Diff(strings.Split(string(now), "\n"), strings.Split(want, "\n")); diff != "" {
		t.Errorf("%s is not what the program says (+); %s makes it so:\n%s", path, command(t), diff)
	}
}

// Part holds a part of a page against what it should be: the lines between <!-- NAME: made by … --> and
// <!-- end of NAME -->.
func Part(t testing.TB, path, name, want string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name = regexp.QuoteMeta(name)
	marks := regexp.MustCompile(`(?s)<!-- ` + name + `: made by [^\n]* -->\n(.*?)<!-- end of ` + name + ` -->`)
	at := marks.FindSubmatchIndex(page)
	if at == nil {
		t.Fatalf("%s has no lines %s", path, marks)
	}
	File(t, path, string(page[:at[2]])+want+string(page[at[3]:]))
}

// command is what writes what a test holds.
func command(t testing.TB) string {
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	root := dir
	for _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil; _, err = os.Stat(filepath.Join(root, "go.mod")) {
		root = filepath.Dir(root)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	return "`go test ." + filepath.ToSlash(strings.TrimPrefix(dir, root)) + " -run " + test + " -update`"
}
