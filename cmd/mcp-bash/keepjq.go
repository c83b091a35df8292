package main

import (
	"os"
	"path/filepath"
	"slices"
)

// keepJQ returns what puts back each jq that withJQ has put into state, as
// temporary files that are old get cleaned up. While they are there that is a look
// at them and no more. Without any it is nil.
func keepJQ(state string) func() {
	dir := filepath.Join(state, "bin")
	ours := slices.DeleteFunc(slices.Clone(jqNames), func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err != nil
	})
	if len(ours) == 0 {
		return nil
	}
	return func() {
		for _, name := range ours {
			_, _ = linkJQ(dir, name) // perhaps another call was faster; else the shell tells what is missing
		}
	}
}
