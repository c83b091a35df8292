package main

import (
	"encoding/json"
	"log/slog"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/plainfile"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
)

// fallbackRoots are the folders that tools work in where the client names none:
// those of MCPBASH_ROOTS, else of config/roots.json, else the project itself.
func fallbackRoots(p *project.Project, s settings, log *slog.Logger) []roots.Root {
	for _, path := range filepath.SplitList(s.roots) {
		if path != "" && len(roots.Folders(p.Root(), path)) == 0 {
			log.Warn("MCPBASH_ROOTS names what is no folder; it is left out", "path", path)
		}
	}
	if found := roots.Folders(p.Root(), filepath.SplitList(s.roots)...); len(found) > 0 {
		return found
	}
	path := filepath.Join(p.Root(), "config", "roots.json")
	if text, err := plainfile.Read(path, 1<<20); err == nil {
		var config struct {
			Roots []struct{ Path, Name string } `json:"roots"`
		}
		if err := json.Unmarshal(text, &config); err != nil {
			log.Warn("config/roots.json cannot be read", "error", err)
		}
		var found []roots.Root
		for _, r := range config.Roots {
			for _, root := range roots.Folders(p.Root(), r.Path) {
				if r.Name != "" {
					root.Name = r.Name
				}
				found = append(found, root)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return roots.Folders(p.Root(), ".")
}
