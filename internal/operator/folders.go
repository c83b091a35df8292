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
		if missing(root, f.folder) {
			complaints = append(complaints, fmt.Sprintf("%s=%s: is not a folder, so nothing is read from it", f.variable,
				f.folder))
		}
	}
	return complaints
}

// WithServerFolder returns the settings for the project at root. They refuse if there is no folder of the
// server's own files where a variable says: without its policy.sh every call would be allowed.
func (s Settings) WithServerFolder(root string) Settings {
	if folder := s.Folders.Server; missing(root, folder) {
		s.refuse(fmt.Errorf("MCPBASH_SERVER_DIR=%s: is not a folder, so policy.sh would be missing", folder))
	}
	return s
}

// missing reports whether a folder of the project that is named is none.
func missing(root, folder string) bool {
	info, err := os.Stat(files.InRoot(root, folder))
	return folder != "" && (err != nil || !info.IsDir())
}
