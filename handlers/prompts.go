package handlers

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// PromptCatalog finds prompts.
type PromptCatalog interface {
	Prompts(context.Context) (Snapshot[*Prompt], error)
	Prompt(ctx context.Context, name string) (*Prompt, error) // or ErrUnknownPrompt
}

// Prompts lists prompts and renders them.
type Prompts struct {
	Session *mcp.Session
	Catalog PromptCatalog
	// Render puts arguments into a prompt. The questions of a script go to client.
	Render func(ctx context.Context, p *Prompt, arguments map[string]string, r *mcp.Revision,
		client ScriptClient) ([]mcp.PromptMessage, error)
	Rounds   *Rounds
	PageSize int    // 0: 100
	Pages    *Pages // nil: none are kept
}

// List answers prompts/list (PR-01).
func (s Prompts) List(ctx context.Context, p mcp.ListParams) (Page, error) {
	return pager[*Prompt]{
		name: "prompts", find: s.Catalog.Prompts, size: s.PageSize, pages: s.Pages,
		item: func(o *Prompt, r *mcp.Revision) any {
			prompt := mcp.Prompt{
				Name: o.Name, Title: o.Title, Description: o.Description,
				Icons: json.RawMessage(o.Icons), Meta: json.RawMessage(o.Meta),
			}
			for _, a := range o.Arguments {
				prompt.Arguments = append(prompt.Arguments,
					mcp.PromptArgument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required})
			}
			return prompt.In(r)
		},
	}.page(ctx, p, mcp.TermsOf(ctx, s.Session).Revision())
}

// Get answers prompts/get. An unknown prompt and a missing argument are invalid params (PR-02). A
// prompt that is a script may ask its client something, as tools do.
func (s Prompts) Get(ctx context.Context, p mcp.GetPromptParams) (mcp.Enveloped, error) {
	if p.Name == "" {
		return nil, fmt.Errorf("%w: /name is missing: it names the prompt", pipeline.ErrInvalidParams)
	}
	found, err := s.Catalog.Prompt(ctx, p.Name)
	if errors.Is(err, ErrUnknownPrompt) {
		return nil, pipeline.Errorf(-32602, "Unknown prompt: %s", p.Name)
	} else if err != nil {
		return nil, err
	}
	for _, a := range found.Arguments {
		if _, given := p.Arguments[a.Name]; a.Required && !given {
			return nil, fmt.Errorf("%w: /arguments/%s is missing: the prompt %s requires it", pipeline.ErrInvalidParams, a.Name,
				p.Name)
		}
	}
	terms := mcp.TermsOf(ctx, s.Session)
	render := func(ctx context.Context, channel ScriptClient) (*mcp.GetPromptResult, error) {
		messages, err := s.Render(ctx, found, p.Arguments, terms.Revision(), channel)
		result := &mcp.GetPromptResult{Description: found.Description, Messages: messages}
		if !terms.Revision().Stateless { // as clients of the Bash program expect
			result.Text, result.Arguments = textOf(messages), p.Arguments
		}
		return result, err
	}
	if !found.Executable && found.Messages == nil { // a text, which asks and runs nothing
		return render(ctx, ScriptClient{})
	}
	arguments, err := json.Marshal(p.Arguments, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	this := roundCall{caller: mcp.CallerOf(ctx).ID, method: "prompts/get", name: p.Name, arguments: arguments,
		retry: p.RetryParams, task: mcp.TaskForbidden}
	stateless := terms.Revision().Stateless
	return s.Rounds.do(ctx, terms, this, func(ctx context.Context, d dialog) (mcp.Enveloped, error) {
		return render(ctx, ScriptClient{Ask: d.Ask, Supports: d.Supports, Patient: stateless, MissingCapability: stateless})
	})
}

// textOf returns the text of a prompt that consists of one text, else "".
func textOf(messages []mcp.PromptMessage) string {
	var block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if len(messages) != 1 || json.Unmarshal(messages[0].Content.JSON(), &block) != nil || block.Type != "text" {
		return ""
	}
	return block.Text
}
