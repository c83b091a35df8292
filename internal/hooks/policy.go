package hooks

import (
	"context"
	"fmt"
	"slices"

	"github.com/sourcegraph/jsonrpc2"
)

// A Policy is the decision of the operator. The zero value allows all tools.
type Policy struct {
	// Allow names the tools that are allowed; "*" and "all" are every tool.
	// Empty: all, unless Deny is set.
	Allow []string
	// Deny refuses all tools that Allow does not name, even if it is empty.
	Deny bool
	// Hook is the project's own policy.sh; nil: there is none.
	Hook *PolicyHook
}

// Listed reports whether a tool is shown to clients. The hook is not run, but if it may not run, no
// tool is listed.
func (p *Policy) Listed(tool string) bool { return p.Refusal(tool) == nil && p.Barred() == nil }

// Barred returns why all tools are refused, which is a hook that may not run; nil if they are not.
// The reason is logged once.
func (p *Policy) Barred() error {
	if p.Hook == nil {
		return nil
	}
	return p.Hook.barred()
}

// Check returns nil if a tool may be called, else a *jsonrpc2.Error that names the rule. metadata
// is the tool's, as JSON, for the hook.
func (p *Policy) Check(ctx context.Context, tool string, metadata []byte) error {
	if err := p.Refusal(tool); err != nil {
		return err
	}
	if p.Hook == nil {
		return nil
	}
	return p.Hook.check(ctx, tool, metadata)
}

// Refusal is Check without the hook: only the operator's lists, which are available at once.
func (p *Policy) Refusal(tool string) error {
	switch {
	case len(p.Allow) == 0 && !p.Deny:
		return nil
	case slices.Contains(p.Allow, tool), slices.Contains(p.Allow, "*"), slices.Contains(p.Allow, "all"):
		return nil
	case len(p.Allow) == 0:
		return blocked(tool, "MCPBASH_TOOL_ALLOW_DEFAULT=deny and MCPBASH_TOOL_ALLOWLIST names no tool")
	}
	return blocked(tool, "not in MCPBASH_TOOL_ALLOWLIST")
}

func blocked(tool, rule string) error {
	return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams,
		Message: fmt.Sprintf("Tool '%s' blocked by policy (%s)", tool, rule)}
}
