package check

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

// unrun reports hooks in server.d/ that would not run. The server itself reports register.sh and
// register.json.
func (c *contents) unrun(rules hooks.Rules) []Message {
	var all []Message
	for _, hook := range []struct {
		name    string
		level   Level // of the message if the hook does not run
		without string
	}{
		{"policy.sh", Error, "all calls of tools are refused"},
		{"health-checks.sh", Warning, "`mcp-bash health` leaves its checks out"},
	} {
		path := filepath.Join(c.project.ServerDir(), hook.name)
		err := rules.Check(c.project.Root(), path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		m := Message{Level: hook.level, Section: "hooks", File: c.project.Rel(path), Rule: "hook-unsafe",
			Message: "does not run, so " + hook.without, Hint: err.Error()}
		if errors.Is(err, hooks.ErrNotAllowed) {
			m.Rule, m.Hint = "hook-not-allowed", "set MCPBASH_ALLOW_PROJECT_HOOKS=true where the server is started"
		}
		all = append(all, m)
	}
	return all
}
