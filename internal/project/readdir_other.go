//go:build !linux

package project

import "io/fs"

// entriesOf returns what the standard library has found in a folder.
func entriesOf(found []fs.DirEntry) []dirEntry {
	all := make([]dirEntry, len(found))
	for i, e := range found {
		all[i] = dirEntry{e.Name(), e.Type()}
	}
	return all
}
