package server

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
)

// policy returns the policy of the operator and the project's policy.sh, which bash runs.
func (o Options) policy(p *catalog.Project, r *run.Runtime, bash func() string) *hooks.Policy {
	return &hooks.Policy{
		Allow: o.Policy.Allow,
		Deny:  o.Policy.DenyOthers,
		Hook: &hooks.PolicyHook{
			Host: hooks.Host{
				Root:      p.Root(),
				ServerDir: p.ServerDir(),
				Rules:     hooks.Rules{Allowed: o.Policy.Hooks.Guards()},
				Bash:      bash,
				Runner:    r.Runner,
				Env:       func() []string { return process.With(o.HookEnv, r.Env()...) },
			},
			Log: r.Log,
		},
	}
}

// withTool returns a filter that lists the page of a tool only if the tool itself is listed.
func withTool(allowed *hooks.Policy) func(*catalog.Resource) bool {
	return func(o *catalog.Resource) bool {
		return o.UI == nil || o.UI.Tool == "" || allowed.Listed(o.UI.Tool)
	}
}
