package handlers

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// CompletionCatalog finds the sources of the values of arguments.
type CompletionCatalog interface {
	PromptCompletion(ctx context.Context, prompt, argument string) (Values, error)
	TemplateCompletion(ctx context.Context, uriTemplate, variable string) (Values, error)
}

// Completion answers requests to complete the value of an argument.
type Completion struct {
	Session *mcp.Session
	Catalog CompletionCatalog
	// Run asks a completion script for limit values from offset on. next is the offset of the
	// values after those, 0 if there are none; total is the number of values, -1 if it is unknown.
	Run func(
		ctx context.Context, c Values, p mcp.CompleteParams, offset, limit int,
	) (values []string, next, total int, err error)
}

// maxValues is how many values a client gets, unless it asks for fewer (CM-02).
const maxValues = 100

// Complete answers completion/complete (CM-01 to CM-07).
func (s Completion) Complete(ctx context.Context, p mcp.CompleteParams) (result mcp.CompleteResult, err error) {
	if !mcp.TermsOf(ctx, s.Session).Revision().Context {
		p.Context.Arguments = nil // CM-04
	}
	from, err := s.source(ctx, p)
	if err != nil {
		return result, err
	}
	cursors, err := cursorsOf(p)
	if err != nil {
		return result, err
	}
	offset := 0
	// an extension, of which clients of the Bash program send "" for the first page
	if p.Cursor != nil && *p.Cursor != "" {
		if offset, err = cursors.Offset(*p.Cursor); err != nil {
			return result, pipeline.Errorf(-32602, "Invalid cursor")
		}
	}
	limit := min(p.Limit, maxValues)
	if limit < 1 {
		limit = maxValues
	}
	values, next, total := []string(nil), 0, 0
	if from.Values == nil && from.Path != "" {
		done, err := pipeline.Work(ctx)
		if err != nil {
			return result, err
		}
		defer done()
		if values, next, total, err = s.Run(ctx, from, p, offset, limit); err != nil {
			return result, err
		}
	} else {
		found := matching(from.Values, *p.Argument.Value)
		total = len(found)
		values = found[min(offset, total):min(offset+limit, total)]
		if offset+limit < total {
			next = offset + limit
		}
	}
	result.Completion.Values = append([]string{}, values...)
	if total >= 0 {
		result.Completion.Total = &total
	}
	if result.Completion.HasMore = next > 0; next > 0 {
		result.Completion.NextCursor = cursors.At(next)
	}
	return result, nil
}

// cursorsOf returns the cursors of the values for one text of one argument.
func cursorsOf(p mcp.CompleteParams) (catalog.Cursors, error) {
	asked, err := json.Marshal([]any{p.Ref, p.Argument, p.Context}, json.Deterministic(true))
	if err != nil {
		return catalog.Cursors{}, err
	}
	return catalog.Cursors{Collection: "completion", Hash: fmt.Sprintf("%x", sha256.Sum256(asked))}, nil
}

// source returns the source of the values.
func (s Completion) source(ctx context.Context, p mcp.CompleteParams) (from Values, err error) {
	switch {
	case p.Argument.Name == nil:
		return from, fmt.Errorf("%w: /argument/name is missing", pipeline.ErrInvalidParams)
	case p.Argument.Value == nil:
		return from, fmt.Errorf("%w: /argument/value is missing", pipeline.ErrInvalidParams)
	}
	switch p.Ref.Type {
	case "ref/prompt":
		from, err = s.Catalog.PromptCompletion(ctx, p.Ref.Name, *p.Argument.Name)
		if errors.Is(err, ErrUnknownPrompt) {
			return from, pipeline.Errorf(-32602, "Unknown prompt: %s", p.Ref.Name)
		}
	case "ref/resource":
		from, err = s.Catalog.TemplateCompletion(ctx, p.Ref.URI, *p.Argument.Name)
		if errors.Is(err, ErrUnknownTemplate) {
			return from, pipeline.Errorf(-32602, "Unknown resource template: %s", p.Ref.URI)
		}
	default:
		return from, fmt.Errorf("%w: /ref/type %q is neither ref/prompt nor ref/resource", pipeline.ErrInvalidParams,
			p.Ref.Type)
	}
	return from, err
}

// matching returns the values that begin with text, then those that contain it elsewhere (CM-05).
// It ignores case.
func matching(values []string, text string) []string {
	text = strings.ToLower(text)
	place := func(v string) int { return strings.Index(strings.ToLower(v), text) }
	found := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return place(v) < 0 })
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(min(place(a), 1), min(place(b), 1)) })
	return found
}
