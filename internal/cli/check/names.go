package check

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/internal/suggest"
)

// idleCompleters reports scripts in completions/ that no prompt or template uses.
func (c *contents) idleCompleters() {
	var names []string
	for _, p := range c.prompts {
		names = append(names, p.Name)
	}
	for _, t := range c.templates {
		names = append(names, t.Name)
	}
	for _, completer := range c.completers {
		if slices.Contains(names, completer.Name) || c.usedAsCompletion(completer.Path) {
			continue
		}
		hint := "give it the name of the prompt or resource template whose arguments it completes"
		if meant := suggest.Of(completer.Name, names); meant != "" {
			hint = suggest.Question(meant)
		}
		c.report(Message{Level: Warning, Rule: "idle-completion", Section: "completions",
			File:    c.described(completer.MetadataFile, completer.Path),
			Message: fmt.Sprintf("completes nothing: no prompt or resource template is called %q", completer.Name),
			Hint:    hint})
	}
}

// idleVariables reports completions in metadata of templates for variables that the template lacks.
func (c *contents) idleVariables() {
	for _, t := range c.templates {
		variables := t.Variables()
		for _, name := range slices.Sorted(maps.Keys(t.Completions)) {
			if name == "" || slices.Contains(variables, name) {
				continue
			}
			hint := "remove it, or name one of the variables: " + strings.Join(variables, ", ")
			if meant := suggest.Of(name, variables); meant != "" {
				hint = suggest.Question(meant)
			}
			c.report(Message{Level: Warning, Rule: "idle-completion", Section: "resourceTemplates",
				File: c.project.Rel(t.MetadataFile),
				Line: c.line("resourceTemplates", t.MetadataFile, t.Metadata,
					string(json.Pointer("/completion").AppendToken(name))),
				Message: fmt.Sprintf("completion.%s: completes nothing: %s has no such variable", name, t.URITemplate),
				Hint:    hint})
		}
	}
}

// usedAsCompletion reports whether metadata of a prompt or a template names the script.
func (c *contents) usedAsCompletion(path string) bool {
	var used []catalog.Completion
	for _, p := range c.prompts {
		used = slices.AppendSeq(used, maps.Values(p.Completions))
	}
	for _, t := range c.templates {
		used = slices.AppendSeq(used, maps.Values(t.Completions))
	}
	return slices.ContainsFunc(used, func(completer catalog.Completion) bool { return completer.Path == path })
}

// misnamedFolders reports folders of the project with almost the name of a folder that is read.
func (c *contents) misnamedFolders() {
	folders := catalog.Usual()
	folders.UI = "" // gui/ is not a typing error
	usual := folders.Read()
	var read []string
	for _, dir := range c.options.Project.Folders.Read() {
		read = append(read, filepath.Join(c.project.Root(), dir), dir)
	}
	entries, _ := os.ReadDir(c.project.Root()) // was read before
	for _, e := range entries {
		name := e.Name()
		meant := suggest.Of(name, usual)
		if !e.IsDir() || meant == "" || suggest.Distance(strings.ToLower(name), meant) > 1 || // tests/ is not a typing error
			slices.Contains(usual, name) || slices.Contains(read, filepath.Join(c.project.Root(), name)) {
			continue
		}
		if here, err := os.Stat(filepath.Join(c.project.Root(), meant)); err == nil {
			if there, err := e.Info(); err != nil || os.SameFile(here, there) {
				continue // a case-insensitive file system
			}
		}
		c.report(Message{Level: Warning, Rule: "folder-name", Section: "server", File: name,
			Message: fmt.Sprintf("nothing is read from this folder; did you mean %s/?", meant),
			Hint:    fmt.Sprintf("move what is in it to %s/", meant)})
	}
}
