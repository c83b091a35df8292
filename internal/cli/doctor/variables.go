package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// variables reports unknown variables with almost the name of a known one, and invalid values:
// the server ignores both.
func (e *examination) variables() []Finding {
	var all []Finding
	for _, c := range e.Complaints {
		all = append(all, Finding{ID: "env.value_not_used", Severity: check.Warning, Message: c})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		if !strings.HasPrefix(name, "MCPBASH_") || slices.Contains(e.Names, name) {
			continue
		}
		if meant := cmp.Or(suggest.Of(name, e.Names), suggest.Holding(name, e.Names)); meant != "" { // other names are for the project's scripts
			message := fmt.Sprintf("the server does not read the variable %s; did you mean %s?", name, meant)
			all = append(all,
				Finding{ID: "env.unknown_variable", Severity: check.Warning, Message: message, Command: "unset " + name})
		}
	}
	return all
}
