package server

import (
	"context"
	"errors"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// A Runner runs calls of tools; see [handlers.Runner]. A Server is a Runner for calls of other
// servers.
type Runner = handlers.Runner

// errNoTools is the error of a Runner without a project.
var errNoTools = errors.New("this server has no project")

// remoteCall returns a function that sends calls to a Runner. Folders that the client has not named
// are not passed on: the fallback is that of the machine where the tool runs.
func (p *served) remoteCall(r Runner) runCall {
	return func(ctx context.Context, c run.Call) (*mcp.CallToolResult, error) {
		if slices.Equal(c.Folders, p.roots) {
			c.Folders = nil
		}
		if ask := c.Roots; ask != nil {
			c.Roots = func(ctx context.Context) ([]string, error) {
				paths, err := ask(ctx)
				if slices.Equal(paths, roots.Paths(p.roots)) {
					paths = nil
				}
				return paths, err
			}
		}
		return r.Call(ctx, c)
	}
}

// Tools returns the names of the tools that other servers may run here.
func (s *Server) Tools(ctx context.Context) ([]string, error) {
	p := s.project
	if p == nil {
		return nil, errNoTools
	}
	s.begin()
	list, err := p.Tools(ctx)
	var names []string
	for _, tool := range list.Items {
		if p.policy.Refusal(tool.Name) == nil {
			names = append(names, tool.Name)
		}
	}
	return names, err
}

// Tool returns a tool that other servers may run here: any that the operator of this server allows.
// Calling the policy's hook is up to the other server.
func (s *Server) Tool(ctx context.Context, name string) (*handlers.Tool, error) {
	p := s.project
	if p == nil {
		return nil, errNoTools
	}
	if err := p.policy.Refusal(name); err != nil {
		return nil, err
	}
	s.begin()
	return p.Tool(ctx, name)
}

// Share returns a context for a [Server.Call] with its share of the memory that calls may hold
// together, and a function that returns the share.
func (s *Server) Share(ctx context.Context) (context.Context, func()) { return s.memory.With(ctx) }

// Call implements [Runner] for calls that come from other servers: it runs the tool in this
// process. The caller has to limit how many run at once. If Folders is nil, or Roots returns none,
// the folders of this server are used.
func (s *Server) Call(ctx context.Context, c handlers.ToolCall) (*mcp.CallToolResult, error) {
	p := s.project
	if p == nil {
		return nil, errNoTools
	}
	s.begin()
	if c.Folders == nil {
		c.Folders = p.roots
	}
	if ask := c.Roots; ask != nil {
		c.Roots = func(ctx context.Context) ([]string, error) {
			paths, err := ask(ctx)
			if err == nil && len(paths) == 0 {
				paths = roots.Paths(p.roots)
			}
			return paths, err
		}
	}
	return p.runtime.Call(ctx, c)
}
