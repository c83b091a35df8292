package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// The errors for unknown names and URIs.
var (
	ErrUnknownTool     = errors.New("unknown tool")
	ErrUnknownResource = errors.New("unknown resource")
	ErrUnknownTemplate = errors.New("unknown resource template")
	ErrUnknownPrompt   = errors.New("unknown prompt")
)

// Tools returns the tools as the files are now, and the faults of the others. Only what changed
// since the last time is read. Concurrent callers share one look at the files, but never one that
// began before they called. The error is ErrRegistration, or the cause of ctx if it ended first,
// which does not end the look.
func (p *Project) Tools(ctx context.Context) (Snapshot[*Tool], error) { return listOf[*Tool](ctx, p) }

// Resources returns the resources, including user interfaces, as Tools does the tools.
func (p *Project) Resources(ctx context.Context) (Snapshot[*Resource], error) {
	return listOf[*Resource](ctx, p)
}

// Templates returns the resource templates, as Tools does the tools. Faults in metadata that could
// be of either are reported by Resources.
func (p *Project) Templates(ctx context.Context) (Snapshot[*Template], error) {
	return listOf[*Template](ctx, p)
}

// Prompts returns the prompts, as Tools does the tools.
func (p *Project) Prompts(ctx context.Context) (Snapshot[*Prompt], error) {
	return listOf[*Prompt](ctx, p)
}

// Completers returns the scripts in completions/ and the registered ones, as Tools does the tools.
// Those beside prompts and templates belong to these.
func (p *Project) Completers(ctx context.Context) (Snapshot[*Completer], error) {
	return listOf[*Completer](ctx, p)
}

// Interceptors returns the interceptors, as Tools does the tools. That one is left out is an error, not a warning:
// what it restricts is not known.
func (p *Project) Interceptors(ctx context.Context) (Snapshot[*Interceptor], error) {
	return listOf[*Interceptor](ctx, p)
}

// Tool finds the tool with a name, to call it. As long as its own folder, script and metadata are
// unchanged, only these are checked; otherwise all files are, as in Tools, so a tool that was just
// added or changed is found as it is now. The error is ErrUnknownTool, ErrRegistration, or the
// cause of ctx.
func (p *Project) Tool(ctx context.Context, name string) (*Tool, error) {
	return find[*Tool](ctx, p, byName, name, ErrUnknownTool)
}

// Resource finds the resource with a URI, as Tool does a tool, or returns ErrUnknownResource.
func (p *Project) Resource(ctx context.Context, uri string) (*Resource, error) {
	return find[*Resource](ctx, p, byAddress, uri, ErrUnknownResource)
}

// ResourceNamed finds the resource with a name, as Tool does a tool, or returns
// ErrUnknownResource.
func (p *Project) ResourceNamed(ctx context.Context, name string) (*Resource, error) {
	return find[*Resource](ctx, p, byName, name, ErrUnknownResource)
}

// Template finds the template with a URI template, as Tool does a tool, or returns
// ErrUnknownTemplate.
func (p *Project) Template(ctx context.Context, uriTemplate string) (*Template, error) {
	return find[*Template](ctx, p, byAddress, uriTemplate, ErrUnknownTemplate)
}

// Match finds the template that can be expanded to a URI, the first by name, else the first that it
// matches with less escaped, and the values of its variables, or returns ErrUnknownTemplate. See
// Template.Match about the values.
func (p *Project) Match(ctx context.Context, uri string) (*Template, map[string]string, error) {
	s, err := p.Templates(ctx)
	if err != nil {
		return nil, nil, err
	}
	var found *Template
	var values map[string]string
	for _, t := range s.Items {
		if matched, exact, ok := t.Match(uri); ok && (exact || found == nil) {
			if found, values = t, matched; exact {
				break
			}
		}
	}
	if found != nil {
		return found, values, nil
	}
	return nil, nil, fmt.Errorf("%w for %s", ErrUnknownTemplate, uri)
}

// Prompt finds the prompt with a name, as Tool does a tool, or returns ErrUnknownPrompt.
func (p *Project) Prompt(ctx context.Context, name string) (*Prompt, error) {
	return find[*Prompt](ctx, p, byName, name, ErrUnknownPrompt)
}

func listOf[T Entry](ctx context.Context, p *Project) (Snapshot[T], error) {
	var none T
	s, err := p.lists[none.kind()].look(ctx)
	if err != nil {
		return Snapshot[T]{}, err
	}
	return s.snapshot.(Snapshot[T]), nil
}

// Seen returns a list as the last look has found it, empty before the first.
func Seen[T Entry](p *Project) (Snapshot[T], error) {
	var none T
	last := p.lists[none.kind()].last.Load()
	if last == nil || last.err != nil {
		return Snapshot[T]{}, cmp.Or(last, &state{}).err
	}
	return last.snapshot.(Snapshot[T]), nil
}

func find[T Entry](ctx context.Context, p *Project, by lookup, key string, unknown error) (T, error) {
	var none T
	found, err := p.lists[none.kind()].find(ctx, by, key)
	switch {
	case err != nil:
		return none, err
	case found == nil:
		return none, fmt.Errorf("%w: %s", unknown, key)
	}
	return found.entry.(T), nil
}
