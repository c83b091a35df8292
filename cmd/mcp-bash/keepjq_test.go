package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/matryer/is"
)

func TestOurJQIsPutBackWhenItWasCleanedUp(t *testing.T) {
	is := is.New(t)
	t.Setenv("PATH", t.TempDir()) // where no jq is
	state := t.TempDir()
	is.True(keepJQ(state) == nil) // none was put there
	_, err := withJQ([]string{"PATH=/bin"}, state)
	is.NoErr(err)
	keep := keepJQ(state)
	dir := filepath.Join(state, "bin")
	for _, gone := range []string{state, dir, filepath.Join(dir, "jq"), filepath.Join(dir, "none")} {
		is.NoErr(os.RemoveAll(gone))
		keep()
		for _, name := range jqNames {
			_, err := os.Stat(filepath.Join(dir, name))
			is.NoErr(err) // there for tools to call
		}
	}
}
