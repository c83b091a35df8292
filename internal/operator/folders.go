package operator

import (
	"fmt"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// StrayFolders returns complaints about folders of the project that a variable names and that do
// not exist: otherwise their contents would silently be missing from the lists.
func StrayFolders(s Settings, root string) (complaints []string) {
	folders := []struct{ variable, folder string }{
		{"MCPBASH_TOOLS_DIR", s.Folders.Tools},
		{"MCPBASH_SERVER_DIR", s.Folders.Server},
		{"MCPBASH_RESOURCES_DIR", s.Folders.Resources},
		{"MCPBASH_PROMPTS_DIR", s.Folders.Prompts},
		{"MCPBASH_COMPLETIONS_DIR", s.Folders.Completions},
		{"MCPBASH_UI_DIR", s.Folders.UI},
		{"MCPBASH_PROVIDERS_DIR", s.Folders.Providers},
	}
	for _, folder := range s.ResourceRoots {
		folders = append(folders, struct{ variable, folder string }{"MCP_RESOURCES_ROOTS", folder})
	}
	for _, f := range folders {
		if f.folder == "" {
			continue
		}
		if info, err := os.Stat(files.InRoot(root, f.folder)); err != nil || !info.IsDir() {
			complaints = append(complaints, fmt.Sprintf("%s=%s: is not a folder, so nothing is read from it", f.variable, f.folder))
		}
	}
	return complaints
}
