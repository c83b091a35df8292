package scaffold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
)

// ChooseArgument finds the prompt or template that is meant, and its argument. For a prompt that
// scaffold made, the name it was made with is enough.
func ChooseArgument(ctx context.Context, root, of, argument string) (name, chosen string, err error) {
	all, err := argumentsOf(ctx, root, of)
	if err != nil {
		more, second := argumentsOf(ctx, root, "prompt."+of)
		if second != nil {
			return "", "", err
		}
		of, all = "prompt."+of, more
	}
	switch {
	case len(all) == 0:
		return "", "", console.Usagef("%s has no arguments to complete; declare them in its metadata", of)
	case argument == "" && len(all) == 1:
		return of, all[0], nil
	case argument == "":
		return "", "", console.Usagef("%s has %d arguments; say which with --argument: %s", of, len(all),
			strings.Join(all, ", "))
	case !slices.Contains(all, argument):
		return "", "", console.Usagef("%s has no argument %q; it has %s", of, argument, strings.Join(all, ", "))
	}
	return of, argument, nil
}

// argumentsOf returns the names of the arguments of a prompt, or of the variables of a
// resource template.
func argumentsOf(ctx context.Context, root, name string) ([]string, error) {
	p, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		return nil, err
	}
	prompt, err := p.Prompt(ctx, name)
	switch {
	case err == nil:
		var all []string
		for _, a := range prompt.Arguments {
			all = append(all, a.Name)
		}
		return all, nil
	case !errors.Is(err, catalog.ErrUnknownPrompt):
		return nil, err
	}
	templates, err := p.Templates(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(templates.Items, func(t *catalog.Template) bool { return t.Name == name })
	if at < 0 {
		return nil, console.Usagef("no prompt or resource template is named %q; make one with "+
			"`mcp-bash scaffold prompt %s`, or name one with --for", name, name)
	}
	return templates.Items[at].Variables(), nil
}

// ServerName returns the name of a project's server.
func ServerName(root string) (string, error) {
	p, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		return "", err
	}
	id, _ := p.Identity()
	return id.Name, nil
}

// ToolFolder returns the folder of a tool, relative to the root.
func ToolFolder(ctx context.Context, root, name string) (string, error) {
	p, err := catalog.Open(root, catalog.Options{})
	if err != nil {
		return "", err
	}
	tool, err := p.Tool(ctx, name)
	if errors.Is(err, catalog.ErrUnknownTool) && filepath.IsLocal(name) && isFolder(filepath.Join(p.ToolsDir(), name)) {
		folder, err := filepath.Rel(p.Root(), filepath.Join(p.ToolsDir(), name)) // a tool that does not exist yet
		if err == nil && filepath.IsLocal(folder) {
			return filepath.ToSlash(folder), nil
		}
	}
	if errors.Is(err, catalog.ErrUnknownTool) {
		return "", console.Usagef("no tool is named %q; make it with its page: mcp-bash scaffold tool %s --ui", name, name)
	} else if err != nil {
		return "", err
	}
	folder, err := filepath.Rel(p.Root(), tool.Dir)
	if err != nil || !filepath.IsLocal(folder) || tool.Dir == p.ToolsDir() {
		return "", fmt.Errorf("%s has no folder of its own for a page; move it to tools/%s/tool%s", name, name,
			filepath.Ext(tool.Path))
	}
	return filepath.ToSlash(folder), nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
