package doctor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
)

// variables reports unknown variables with almost the name of a known one, and invalid values:
// the server ignores both.
func (e *examination) variables() []Finding {
	var all []Finding
	for _, c := range e.Complaints {
		all = append(all, Finding{ID: "env.value_not_used", Severity: check.Warning, Message: c})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		if meant := e.Meant(name); meant != "" { // other names are for the project's scripts
			message := fmt.Sprintf("the server does not read the variable %s: rename it to %s, where it is set", name, meant)
			all = append(all, Finding{ID: "env.unknown_variable", Severity: check.Warning, Message: message})
		}
	}
	return all
}
