package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
)

// missingFolders reports what the metadata of a tool names and every call needs, but does not exist: the
// folder that the tool runs in, and what its sandbox lets it write to.
func (c *contents) missingFolders(t *catalog.Tool) {
	if t.MetadataFile == "" {
		return
	}
	report := func(field, pointer, written, hint string) {
		c.report(Message{Level: Error, Rule: "missing-folder", Section: "tools",
			File: c.project.Rel(t.MetadataFile), Line: c.line("tools", t.MetadataFile, t.Metadata, pointer),
			Message: fmt.Sprintf("%s: %s does not exist, so every call fails", field, written), Hint: hint})
	}
	if info, err := os.Stat(t.Cwd); t.Cwd != "" && (errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()) {
		report("cwd", "/cwd", c.project.Rel(t.Cwd), "create it, or correct the path: it is relative to the project's root")
	}
	if t.Sandbox == nil {
		return
	}
	for i, path := range t.Sandbox.Write {
		if path == catalog.SandboxRoots || strings.HasPrefix(path, "~") {
			continue // known only at the call
		}
		full := filepath.FromSlash(path)
		if !filepath.IsAbs(full) {
			full = filepath.Join(c.project.Root(), full)
		}
		if _, err := os.Stat(full); errors.Is(err, fs.ErrNotExist) {
			report("sandbox.write", fmt.Sprintf("/sandbox/write/%d", i), path,
				"create it, or remove it from sandbox.write: the tool cannot create it itself")
		}
	}
}
