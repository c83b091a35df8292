package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-bash/mcp-bash/internal/mcp"
	"github.com/mcp-bash/mcp-bash/internal/project"
	"github.com/mcp-bash/mcp-bash/pipeline"
)

// PromptCatalog knows the prompts there are.
type PromptCatalog interface {
	Prompts(context.Context) (project.Snapshot[*project.Prompt], error)
	Prompt(ctx context.Context, name string) (*project.Prompt, error) // or project.ErrUnknownPrompt
}

// Prompts lists prompts and puts arguments into them.
type Prompts struct {
	Session *mcp.Session
	Catalog PromptCatalog
	// Render puts arguments into a prompt.
	Render   func(ctx context.Context, p *project.Prompt, arguments map[string]string, r *mcp.Revision) ([]mcp.PromptMessage, error)
	PageSize int // 0: project.DefaultPageSize
}

// List answers prompts/list (PR-01).
func (s Prompts) List(ctx context.Context, p mcp.ListParams) (result mcp.ListPromptsResult, err error) {
	found, err := s.Catalog.Prompts(ctx)
	if err != nil {
		return result, err
	}
	items, next, meta, err := page(found.Listing(nil), p, s.PageSize)
	if err != nil {
		return result, err
	}
	result = mcp.ListPromptsResult{Prompts: make([]mcp.Prompt, len(items)), NextCursor: next, Meta: meta}
	for i, o := range items {
		prompt := mcp.Prompt{
			Name: o.Name, Title: o.Title, Description: o.Description,
			Icons: json.RawMessage(o.Icons), Meta: json.RawMessage(o.Meta),
		}
		for _, a := range o.Arguments {
			prompt.Arguments = append(prompt.Arguments, mcp.PromptArgument(a))
		}
		result.Prompts[i] = prompt.In(s.Session.Revision())
	}
	return result, nil
}

// Get answers prompts/get. An unknown prompt and a missing argument are invalid
// params (PR-02).
func (s Prompts) Get(ctx context.Context, p mcp.GetPromptParams) (result mcp.GetPromptResult, err error) {
	if p.Name == "" {
		return result, fmt.Errorf("%w: /name is missing: it names the prompt", pipeline.ErrInvalidParams)
	}
	found, err := s.Catalog.Prompt(ctx, p.Name)
	if errors.Is(err, project.ErrUnknownPrompt) {
		return result, pipeline.Errorf(-32602, "Unknown prompt: %s", p.Name)
	} else if err != nil {
		return result, err
	}
	for _, a := range found.Arguments {
		if _, given := p.Arguments[a.Name]; a.Required && !given {
			return result, fmt.Errorf("%w: /arguments/%s is missing: the prompt %s needs it", pipeline.ErrInvalidParams, a.Name, p.Name)
		}
	}
	result.Description = found.Description
	result.Messages, err = s.Render(ctx, found, p.Arguments, s.Session.Revision())
	return result, err
}
