package main

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/policy"
	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/internal/tool"
)

// operatorPolicy is what the operator and the project's policy.sh allow.
func operatorPolicy(p *project.Project, r *tool.Runtime, s settings) *policy.Policy {
	return &policy.Policy{
		Allow: s.allowTools,
		Deny:  s.denyTools,
		Hook: &policy.Hook{
			Root:      p.Root(),
			ServerDir: p.ServerDir(),
			Bash:      bash(),
			Rules:     s.guards(),
			Runner:    r.Runner,
			Env:       with(s.hookEnv, r.Env...),
			Log:       r.Log,
		},
	}
}

// withTool lists the page of a tool where the tool itself is listed.
func withTool(allowed *policy.Policy) func(*project.Resource) bool {
	return func(o *project.Resource) bool {
		return o.UI == nil || o.UI.Tool == "" || allowed.Listed(o.UI.Tool)
	}
}
