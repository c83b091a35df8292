package catalog

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// ErrNone is the error of Find if there is no project.
var ErrNone = errors.New("no project found")

// Find returns the root of the project, as an absolute path. An explicit root must be a folder,
// with any content. Otherwise, the nearest folder from dir upwards that has a server.d/ or tools/
// folder is the root, so that commands work from anywhere inside a project. If there is none, dir
// itself is the root if it has resources/ or prompts/: these names are too common to look for them
// further up.
func Find(explicit, dir string) (root string, err error) {
	if explicit != "" {
		return folderAt(explicit)
	}
	start, err := folderAt(dir)
	if err != nil {
		return "", err
	}
	for at := start; ; at = filepath.Dir(at) {
		if isFolder(filepath.Join(at, "server.d")) || isFolder(filepath.Join(at, "tools")) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			if isFolder(filepath.Join(start, "resources")) || isFolder(filepath.Join(start, "prompts")) {
				return start, nil
			}
			return "", fmt.Errorf("%w: neither %s nor a folder above it has server.d/ or tools/; "+
				"go to your project, name it with -C or MCPBASH_PROJECT_ROOT, or make a tools/ folder here", ErrNone, start)
		}
	}
}

func isFolder(path string) bool {
	at, err := files.StampOf(path)
	return err == nil && at.Mode.IsDir()
}
