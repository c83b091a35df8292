package watch

import (
	"path/filepath"
	"strconv"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// Named returns a function that reports whether a server has a name, which is the number of its process,
// or its project's folder or that folder's name, or that of the server that it wraps; with "", every server does.
func Named(name string) func(status.Snapshot) bool {
	pid, err := strconv.Atoi(name)
	if err == nil {
		return func(s status.Snapshot) bool { return s.PID == pid }
	}
	folder, err := filepath.Abs(name)
	if whole, errLinks := filepath.EvalSymlinks(folder); errLinks == nil {
		folder = whole
	}
	return func(s status.Snapshot) bool {
		return name == "" || s.Wraps == name || s.Project != "" &&
			(filepath.Base(s.Project) == name || err == nil && s.Project == folder)
	}
}
