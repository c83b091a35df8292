package roots

import (
	"encoding/json"
	"log/slog"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// Fallback returns the folders that tools work in if the client names none: those of the operator,
// else those of config/roots.json in the project, else the project itself.
func Fallback(project string, named []string, log *slog.Logger) []Root {
	for _, path := range named {
		if path != "" && len(Folders(project, path)) == 0 {
			log.Warn("MCPBASH_ROOTS names a path that is not a folder; it is left out", "path", path)
		}
	}
	if found := Folders(project, named...); len(found) > 0 {
		return found
	}
	path := filepath.Join(project, "config", "roots.json")
	if text, err := files.Read(path, 1<<20); err == nil {
		var config struct {
			Roots []struct{ Path, Name string } `json:"roots"`
		}
		if err := json.Unmarshal(text, &config); err != nil {
			log.Warn("config/roots.json cannot be read", "error", err)
		}
		var found []Root
		for _, r := range config.Roots {
			for _, root := range Folders(project, r.Path) {
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
	return Folders(project, ".")
}
