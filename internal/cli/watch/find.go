// Package watch shows people what the running servers do.
package watch

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
	"github.com/mcp-bash/mcp-bash/v2/internal/statedir"
)

// Find returns the private folders of servers of this user that can be watched: those in
// parents, and, if the system lists its sockets, those elsewhere. Some of the servers may
// have exited.
func Find(parents []string) (folders []string) {
	var all []string
	for _, parent := range parents {
		all = append(all, statedir.Folders(parent)...)
	}
	for _, folder := range listening() {
		if statedir.Is(folder) {
			all = append(all, folder)
		}
	}
	for _, folder := range all {
		info, err := os.Lstat(filepath.Join(folder, status.Socket))
		if err != nil || info.Mode().IsRegular() || info.IsDir() {
			continue
		}
		if whole, err := filepath.EvalSymlinks(folder); err == nil {
			folders = append(folders, whole)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}
