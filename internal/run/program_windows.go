package run

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
)

// program is what is started for a tool. Windows knows no #! lines: what it
// does not start by itself is given to the bash on PATH.
func program(t *project.Tool) (path string, args []string) {
	native := []string{".exe", ".com", ".bat", ".cmd"}
	if slices.Contains(native, strings.ToLower(filepath.Ext(t.Path))) {
		return t.Path, nil
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		return bash, []string{filepath.ToSlash(t.Path)}
	}
	return t.Path, nil
}
