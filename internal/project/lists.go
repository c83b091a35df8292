package project

import (
	"context"
	"errors"
	"fmt"
)

// These are returned for what nobody has a name or an address like that.
var (
	ErrUnknownTool     = errors.New("unknown tool")
	ErrUnknownResource = errors.New("unknown resource")
	ErrUnknownTemplate = errors.New("unknown resource template")
	ErrUnknownPrompt   = errors.New("unknown prompt")
)

// Tools tells the tools as the files are now, and what is wrong with the others. Only what
// changed since the last time is read. Callers at the same time share one look at the files, but
// never one that began before they called. The error is ErrRegistration, or that ctx ended first,
// which does not end the look.
func (p *Project) Tools(ctx context.Context) (Snapshot[*Tool], error) { return p.tools.fresh(ctx) }

// Resources tells the resources, user interfaces among them, as Tools does the tools.
func (p *Project) Resources(ctx context.Context) (Snapshot[*Resource], error) {
	return p.resources.fresh(ctx)
}

// Templates tells the resource templates, as Tools does the tools. What is wrong with metadata that
// could be of either, Resources tells.
func (p *Project) Templates(ctx context.Context) (Snapshot[*Template], error) {
	return p.templates.fresh(ctx)
}

// Prompts tells the prompts, as Tools does the tools.
func (p *Project) Prompts(ctx context.Context) (Snapshot[*Prompt], error) {
	return p.prompts.fresh(ctx)
}

// Completers tells the scripts in completions/ and the registered ones, as Tools does the tools.
// Those beside prompts and templates belong to these.
func (p *Project) Completers(ctx context.Context) (Snapshot[*Completer], error) {
	return p.completers.fresh(ctx)
}

// Tool finds the tool with a name, to call it. As long as its own folder, script and metadata
// are what they were, that takes a look at each of them and no more; else it is a look at all as in
// Tools, so a tool that was added or changed a moment ago is found as it is now. The error is
// ErrUnknownTool, ErrRegistration, or that ctx ended.
func (p *Project) Tool(ctx context.Context, name string) (*Tool, error) {
	return find(ctx, p.tools, byName, name, ErrUnknownTool)
}

// Resource finds the resource with a URI, as Tool does a tool, or returns ErrUnknownResource.
func (p *Project) Resource(ctx context.Context, uri string) (*Resource, error) {
	return find(ctx, p.resources, byAddress, uri, ErrUnknownResource)
}

// ResourceNamed finds the resource with a name, as Tool does a tool, or returns
// ErrUnknownResource.
func (p *Project) ResourceNamed(ctx context.Context, name string) (*Resource, error) {
	return find(ctx, p.resources, byName, name, ErrUnknownResource)
}

// Template finds the template with a URI template, as Tool does a tool, or returns
// ErrUnknownTemplate.
func (p *Project) Template(ctx context.Context, uriTemplate string) (*Template, error) {
	return find(ctx, p.templates, byAddress, uriTemplate, ErrUnknownTemplate)
}

// Match finds the template that can be expanded to a URI, the first by name, and the values of its
// variables, or returns ErrUnknownTemplate. What Template.Match says of values holds.
func (p *Project) Match(ctx context.Context, uri string) (*Template, map[string]string, error) {
	s, err := p.Templates(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range s.Items {
		if values, ok := t.Match(uri); ok {
			return t, values, nil
		}
	}
	return nil, nil, fmt.Errorf("%w for %s", ErrUnknownTemplate, uri)
}

// Prompt finds the prompt with a name, as Tool does a tool, or returns ErrUnknownPrompt.
func (p *Project) Prompt(ctx context.Context, name string) (*Prompt, error) {
	return find(ctx, p.prompts, byName, name, ErrUnknownPrompt)
}

func find[T Entry](ctx context.Context, c *catalog[T], by lookup, key string, unknown error) (T, error) {
	loc, found, err := c.find(ctx, by, key)
	if err == nil && !found {
		err = fmt.Errorf("%w: %s", unknown, key)
	}
	return loc.value, err
}
