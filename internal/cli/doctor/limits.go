package doctor

import (
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/script"
)

// limits reports which limits of scripts this system cannot enforce, and what is wrong with the
// configured cgroup.
func (e *examination) limits() []Finding {
	e.report.Runtime.LimitsNotHeld = script.Unheld(e.Cgroup)
	if e.Cgroup == "" {
		return nil
	}
	if err := script.CheckCgroup(e.Cgroup); err != nil {
		return []Finding{{ID: "runtime.cgroup_unusable", Severity: check.Error, Message: fmt.Sprintf("MCPBASH_CGROUP: %v; no script will start", err)}}
	}
	return nil
}
