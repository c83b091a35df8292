package server

import (
	"context"
	"os"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
	"github.com/mcp-bash/mcp-bash/v2/internal/interceptor"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
	"github.com/mcp-bash/mcp-bash/v2/internal/rules"
)

// newRules returns the interceptors of the project. allowed: their scripts may run.
func (p *served) newRules(allowed bool) *rules.Rules {
	return rules.New(p.Project, rules.Options{
		Host: interceptor.Host{
			Root:   p.Root(),
			Rules:  hooks.Rules{Allowed: allowed},
			Runner: p.runtime.Runner,
			Env:    func() []string { return process.With(p.server.options.HookEnv, p.runtime.Env()...) },
		},
		Log:  p.server.log,
		Told: p.server.options.Intercepted,
	})
}

// interceptors returns those that messages pass now; nil if there are none.
func (s *Server) interceptors(ctx context.Context) (*interceptor.Set, error) {
	if p := s.project; p != nil {
		return p.rules.Current(ctx)
	}
	return nil, nil
}

// lendsNow reports whether others may use the interceptors of the project: it says so, or it has nothing else.
func (p *served) lendsNow() bool {
	if p.server.options.LendInterceptors {
		return true
	}
	if id, _ := p.Identity(); id.LendsInterceptors {
		return true
	}
	if _, err := os.Stat(p.InterceptorsDir()); err != nil {
		return false
	}
	has := func(n int, err error) bool { return n > 0 || err != nil }
	ctx := p.server.context
	tools, err1 := p.Tools(ctx)
	resources, err2 := p.Resources(ctx)
	templates, err3 := p.Templates(ctx)
	prompts, err4 := p.Prompts(ctx)
	return !slices.Contains([]bool{has(len(tools.Items), err1), has(len(resources.Items), err2),
		has(len(templates.Items), err3), has(len(prompts.Items), err4)}, true)
}
