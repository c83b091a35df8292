package catalog

import (
	"context"
	"errors"
	"slices"
)

// PromptCompletion returns where the values of an argument of a prompt come from. In this order:
//
//   - a script that is registered under the name of the prompt,
//   - what the prompt says of the argument: completion, values or enum,
//   - the script beside the prompt, or the one that its metadata names for all arguments,
//   - the script in completions/ with the name of the prompt.
//
// An argument that the prompt does not have has no values (CM-07). The error is ErrUnknownPrompt,
// ErrRegistration, or that ctx ended. A script may be registered for a prompt that does not exist.
func (p *Project) PromptCompletion(ctx context.Context, prompt, argument string) (Completion, error) {
	found, err := p.Prompt(ctx, prompt)
	if errors.Is(err, ErrUnknownPrompt) {
		if completion, registered, more := p.completer(ctx, prompt); more != nil || registered {
			return completion, more
		}
	}
	if err != nil {
		return Completion{}, err
	}
	has := len(found.Arguments) == 0 || slices.ContainsFunc(found.Arguments,
		func(a Argument) bool { return a.Name == argument })
	return p.completionOf(ctx, has, found.Completions, argument, prompt)
}

// TemplateCompletion returns where the values of a variable of the resource template with a URI
// template come from, as PromptCompletion does for prompts. The URI of a resource has no values.
// The error is ErrUnknownTemplate, ErrRegistration, or that ctx ended.
func (p *Project) TemplateCompletion(ctx context.Context, uriTemplate, variable string) (Completion, error) {
	found, err := p.Template(ctx, uriTemplate)
	if errors.Is(err, ErrUnknownTemplate) {
		if _, isResource := p.Resource(ctx, uriTemplate); isResource == nil {
			return Completion{}, nil
		}
	}
	if err != nil {
		return Completion{}, err
	}
	return p.completionOf(ctx, slices.Contains(found.Variables(), variable), found.Completions, variable, found.Name)
}

func (p *Project) completionOf(ctx context.Context, has bool, own map[string]Completion,
	argument, name string) (Completion, error) {
	if !has {
		return Completion{}, nil
	}
	shared, registered, err := p.completer(ctx, name)
	if err != nil || registered {
		return shared, err
	}
	for _, of := range []string{argument, ""} {
		if completion, ok := own[of]; ok {
			return completion, nil
		}
	}
	return shared, nil
}

// completer finds the completer with a name, and whether it was registered.
func (p *Project) completer(ctx context.Context, name string) (c Completion, registered bool, err error) {
	found, err := p.lists[kindCompleter].find(ctx, byName, name)
	if err != nil || found == nil {
		return Completion{}, false, err
	}
	return found.entry.(*Completer).Completion, found.folder == nil, nil
}
