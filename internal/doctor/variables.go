package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/nearmiss"
)

// variables finds names that look like ours and are not: a typing error changes nothing, and
// nobody says so. Nor would a value do that makes no sense.
func (e *examination) variables() []Finding {
	var all []Finding
	for _, c := range e.Complaints {
		all = append(all, Finding{ID: "env.value_not_used", Severity: Warning, Message: c})
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		if !strings.HasPrefix(name, "MCPBASH_") || slices.Contains(e.Names, name) {
			continue
		}
		f := Finding{ID: "env.unknown_variable", Severity: Warning, Message: fmt.Sprintf("nothing reads the variable %s", name), Command: "unset " + name}
		if meant := nearmiss.Of(name, e.Names); meant != "" {
			f.Message += fmt.Sprintf("; did you mean %s?", meant)
		}
		all = append(all, f)
	}
	return all
}
