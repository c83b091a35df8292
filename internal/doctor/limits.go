package doctor

import (
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// limits says which limits of scripts this system cannot hold, and what is wrong with a cgroup
// that was given.
func (e *examination) limits() (all []Finding) {
	for _, reason := range script.Unheld(e.Cgroup) {
		all = append(all, Finding{ID: "runtime.limits_not_held", Severity: Info, Message: "limits of scripts: " + reason})
	}
	if e.Cgroup == "" {
		return all
	}
	if err := script.CheckCgroup(e.Cgroup); err != nil {
		all = append(all, Finding{ID: "runtime.cgroup_unusable", Severity: Error, Message: fmt.Sprintf("MCPBASH_CGROUP: %v; no script will start", err)})
	}
	return all
}
