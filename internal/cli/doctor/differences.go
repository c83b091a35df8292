package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/check"
)

// placesListed is how many places of a difference are listed.
const placesListed = 3

// differences reports what in the project behaves differently than in the Bash program. These are
// information for those who migrate, not faults.
func (e *examination) differences(ctx context.Context) (all []Finding, err error) {
	err = e.checked.Touching(ctx, func(d check.Difference, places []string) {
		where := strings.Join(places[:min(len(places), placesListed)], ", ")
		if more := len(places) - placesListed; more > 0 {
			where += fmt.Sprintf(" and %d more", more)
		}
		all = append(all, Finding{ID: "bash_program." + strings.ReplaceAll(d.ID, "-", "_"), Severity: check.Info,
			Message: fmt.Sprintf("%s: unlike mcp-bash 1.x. There: %s. Here: %s", where, lower(d.Then), d.Now)})
	})
	return all, err
}

// lower returns a text with its first letter in lower case.
func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }
