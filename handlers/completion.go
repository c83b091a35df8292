package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/project"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// CompletionCatalog knows where the values of arguments come from.
type CompletionCatalog interface {
	PromptCompletion(ctx context.Context, prompt, argument string) (project.Completion, error)
	TemplateCompletion(ctx context.Context, uriTemplate, variable string) (project.Completion, error)
}

// Completion tells how the value of an argument may go on.
type Completion struct {
	Catalog CompletionCatalog
	// Run asks a completion script. It returns what the script offers, and how
	// many values there are in all where it says so, else how many it returned.
	Run func(ctx context.Context, c project.Completion, p mcp.CompleteParams) (values []string, total int, err error)
}

// maxValues is how many values a client is told at most (CM-02).
const maxValues = 100

// Complete answers completion/complete (CM-01 to CM-07).
func (s Completion) Complete(ctx context.Context, p mcp.CompleteParams) (result mcp.CompleteResult, err error) {
	from, err := s.source(ctx, p)
	if err != nil {
		return result, err
	}
	var values []string
	total := 0
	switch {
	case from.Values != nil:
		values = matching(from.Values, p.Argument.Value)
		total = len(values)
	case from.Path != "":
		done, err := pipeline.Work(ctx)
		if err != nil {
			return result, err
		}
		defer done()
		if values, total, err = s.Run(ctx, from, p); err != nil {
			return result, err
		}
	}
	result.Completion.Values = values[:min(len(values), maxValues)]
	result.Completion.Total = max(total, len(values))
	result.Completion.HasMore = result.Completion.Total > len(result.Completion.Values)
	return result, nil
}

// source finds where the values come from.
func (s Completion) source(ctx context.Context, p mcp.CompleteParams) (from project.Completion, err error) {
	if p.Argument.Name == nil {
		return from, fmt.Errorf("%w: /argument/name is missing", pipeline.ErrInvalidParams)
	}
	switch p.Ref.Type {
	case "ref/prompt":
		from, err = s.Catalog.PromptCompletion(ctx, p.Ref.Name, *p.Argument.Name)
		if errors.Is(err, project.ErrUnknownPrompt) {
			return from, pipeline.Errorf(-32602, "Unknown prompt: %s", p.Ref.Name)
		}
	case "ref/resource":
		from, err = s.Catalog.TemplateCompletion(ctx, p.Ref.URI, *p.Argument.Name)
		if errors.Is(err, project.ErrUnknownTemplate) {
			return from, pipeline.Errorf(-32602, "Unknown resource template: %s", p.Ref.URI)
		}
	default:
		return from, fmt.Errorf("%w: /ref/type %q is neither ref/prompt nor ref/resource", pipeline.ErrInvalidParams, p.Ref.Type)
	}
	return from, err
}

// matching picks the values that go on as the text does, then those that hold it
// elsewhere (CM-05). Case does not matter.
func matching(values []string, text string) []string {
	text = strings.ToLower(text)
	place := func(v string) int { return strings.Index(strings.ToLower(v), text) }
	found := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return place(v) < 0 })
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(min(place(a), 1), min(place(b), 1)) })
	return found
}
