package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
)

// quarantine reports files that macOS does not run because they were downloaded.
func (e *examination) quarantine() []Finding {
	var all []Finding
	for _, one := range []struct{ id, path string }{
		{"macos.framework_quarantined", e.Program},
		{"macos.project_quarantined", e.Root},
	} {
		if one.path == "" {
			continue
		}
		if _, err := unix.Getxattr(one.path, "com.apple.quarantine", nil); err == nil {
			all = append(all, Finding{ID: one.id, Severity: check.Warning,
				Message: fmt.Sprintf("%s is quarantined, so macOS may not run it", one.path),
				Command: fmt.Sprintf("xattr -dr com.apple.quarantine %q", one.path)})
		}
	}
	return all
}
