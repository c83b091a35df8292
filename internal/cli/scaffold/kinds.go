package scaffold

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// ToolOptions describe the files of a new tool.
type ToolOptions struct {
	Language string // bash or python; empty for bash
	UI       bool   // with a page that shows its result
}

// Adopted plans a tool from given files, with paths relative to the tool's folder.
func Adopted(root, name string, files ...File) (Plan, error) {
	if err := checkTool(root, name); err != nil {
		return Plan{}, err
	}
	var p Plan
	for _, f := range files {
		f.Path = "tools/" + name + "/" + f.Path
		p.Files = append(p.Files, f)
	}
	return p, nil
}

// checkTool returns an error if a tool cannot have a name.
func checkTool(root, name string) error {
	switch name {
	case "lib", "libs", "ui", "tests", "testdata", "vendor":
		return fmt.Errorf("name %q %w: a folder called so is for what tools need; choose another", name, ErrName)
	}
	return check(root, "tools", name)
}

// Tool plans a working tool, with metadata, a smoke test and a README.
func Tool(root, name string, o ToolOptions) (Plan, error) {
	if err := checkTool(root, name); err != nil {
		return Plan{}, err
	}
	script := "tool.sh"
	switch o.Language {
	case "", "bash":
	case "python":
		script = "tool.py"
	default:
		return Plan{}, fmt.Errorf("language %q %w: write bash or python", o.Language, ErrName)
	}
	dir := "tools/" + name
	parts := []part{
		{"tool.meta.json", "tool/tool.meta.json"},
		{script, "tool/" + script},
		{"smoke.sh", "tool/smoke.sh"},
		{"README.md", "tool/README.md"},
	}
	if o.UI {
		parts = append(parts, page("ui/")...)
	}
	p, err := plan(dir+"/", values{"Name": name, "Title": title(name), "Script": script, "Dir": dir}, parts...)
	p.Note = "it counts characters; make it yours in " + script + " and tool.meta.json, README.md says how"
	p.Next = [][]string{
		{"mcp-bash", "call", name, "text=some text"},
		{dir + "/smoke.sh"},
		install(),
	}
	return p, err
}

// Prompt plans a prompt, prompt.NAME: a text with placeholders for two arguments.
func Prompt(root, name string) (Plan, error) {
	if err := checkBesideReadme(root, "prompts", name); err != nil {
		return Plan{}, err
	}
	p, err := plan("prompts/"+name+"/", values{"Name": name, "Title": title(name)},
		part{name + ".meta.json", "prompt/prompt.meta.json"},
		part{name + ".txt", "prompt/prompt.txt"},
		part{"README.md", "prompt/README.md"})
	p.Note = "write its text into " + name + ".txt, with {{places}} for the arguments in " + name + ".meta.json"
	p.Next = [][]string{{"mcp-bash", "scaffold", "completion", name, "--for", "prompt." + name, "--argument", "topic"},
		install()}
	return p, err
}

// Resource plans a resource, resource.NAME: a text. Its address is relative to the project, so the
// project can move.
func Resource(root, name string) (Plan, error) {
	if err := checkBesideReadme(root, "resources", name); err != nil {
		return Plan{}, err
	}
	p, err := plan("resources/"+name+"/", values{"Name": name, "Title": title(name)},
		part{name + ".meta.json", "resource/resource.meta.json"},
		part{name + ".txt", "resource/resource.txt"},
		part{"README.md", "resource/README.md"})
	p.Note = "write its contents into " + name + ".txt, and what it is into " + name + ".meta.json"
	p.Next = [][]string{install()}
	return p, err
}

// Completion plans a script that completes an argument of a prompt, or a variable of
// a resource template. of is the name of the prompt or template; if it is empty, it is that of the script.
func Completion(root, name, of, argument string) (Plan, error) {
	if err := check(root, "completions", name); err != nil {
		return Plan{}, err
	}
	if of == "" {
		of = name
	}
	for _, s := range []string{of, argument} {
		if !quotable.Get().MatchString(s) {
			return Plan{}, fmt.Errorf("name %q %w in a script; give the prompt, or its argument, one without quotes", s, ErrName)
		}
	}
	p, err := plan("completions/"+name, values{"For": of, "Argument": argument},
		part{".meta.json", "completion/completion.meta.json"},
		part{".sh", "completion/completion.sh"})
	p.Note = "it offers apples, bananas and cherries; let " + name + ".sh find the values of " + argument
	p.Next = [][]string{install()}
	return p, err
}

// Interceptor plans a rule for the messages of an event: a validator that looks at requests, or a mutator of results.
func Interceptor(root, name, kind, event string) (Plan, error) {
	if err := check(root, "interceptors", name); err != nil {
		return Plan{}, err
	}
	if kind != "validation" && kind != "mutation" {
		return Plan{}, fmt.Errorf("--type %q is not one of validation, mutation", kind)
	}
	if !quotable.Get().MatchString(event) {
		return Plan{}, fmt.Errorf("--event %q is not the name of a method, such as tools/call", event)
	}
	p, err := plan("interceptors/"+name+"/", values{"Event": event},
		part{name + ".meta.json", "interceptor/" + kind + ".meta.json"})
	p.Note = "it lets everything pass as it is; write your rule into jq (docs/INTERCEPTORS.md)"
	p.Next = [][]string{{"mcp-bash", "list", "interceptors"}}
	return p, err
}

// quotable matches texts that need no escapes in quotes, in a script and in JSON.
var quotable = lazyregexp.New(`^[^\x00-\x1f\x7f"'\\<>&]+$`)

// UI plans a page in a new folder, from a template, or a basic HTML page if that is empty. server is
// the name of the server, which is part of the page's URI.
func UI(root, name, server, template string) (Plan, error) {
	if err := check(root, "ui", name); err != nil {
		return Plan{}, err
	}
	parts := append(page(""), part{"README.md", "ui/README.md"})
	if template != "" {
		parts = []part{templated(template), {"README.md", "ui/template.md"}}
	}
	p, err := plan("ui/"+name+"/", values{"Name": name, "Title": title(name), "Shows": shows[template]}, parts...)
	p.Note = `a tool shows it with "_meta": {"ui": {"resourceUri": "ui://` + server + "/" + name + `"}} in its metadata`
	p.Next = [][]string{install()}
	return p, err
}

// ToolUI plans the page of a tool in a folder of the project, from a template, or a basic HTML page if
// that is empty. If name is empty, it is the tool's.
func ToolUI(root, folder, tool, name, template string) (Plan, error) {
	if name == "" {
		name = tool
	}
	if err := CheckName(name); err != nil {
		return Plan{}, err
	}
	if err := free(root, folder, "ui"); err != nil {
		return Plan{}, err
	}
	parts := page("")
	note := "clients that show pages show it with the result of " + tool
	if template != "" {
		parts = []part{templated(template)}
		note += ": " + shows[template]
	}
	p, err := plan(path.Join(folder, "ui")+"/", values{"Name": name, "Title": title(name)}, parts...)
	p.Note = note
	p.Next = [][]string{{"mcp-bash", "preview", tool}, install()}
	return p, err
}

// templated returns the metadata of a page that is rendered from a template.
func templated(template string) part { return part{"ui.meta.json", "ui/" + template + ".meta.json"} }

// shows describes what the templates of pages show.
var shows = map[string]string{
	"form":        "fields for what the tool takes, or those of fields in config",
	"data-table":  "an array of objects, or the rows of an object",
	"progress":    "progress, total and message of a job; statusTool in config follows it",
	"diff-viewer": "left and right of an object, or text as git diff prints it",
	"tree-view":   "nodes with label and children",
	"kanban":      "cards with id, title and column",
}

// page returns the parts of a page that shows the result of a tool.
func page(folder string) []part {
	return []part{{folder + "ui.meta.json", "ui/ui.meta.json"}, {folder + "index.html", "ui/index.html"}}
}

// Tests plans a script that runs the smoke tests of all tools.
func Tests(root string) (Plan, error) {
	if err := free(root, "test", "run"); err != nil {
		return Plan{}, err
	}
	if err := free(root, "test", "README"); err != nil {
		return Plan{}, err
	}
	p, err := plan("test/", nil, part{"run.sh", "test/run.sh"}, part{"README.md", "test/README.md"})
	p.Note = "it runs the smoke.sh of every tool"
	p.Next = [][]string{{"test/run.sh"}}
	return p, err
}

// Env plans server.d/env.sh with variables to choose from, all commented out.
func Env() (Plan, error) {
	p, err := plan("server.d/", nil, part{"env.sh", "env/env.sh"})
	p.Note = "it sets nothing yet: remove the # before the variables that you need"
	p.Next = [][]string{{"mcp-bash", "validate"}}
	return p, err
}

// IsReadme reports whether a file is the README that a plan of this package has written for a prompt,
// perhaps with more text after it.
func IsReadme(file string) bool {
	text, err := files.Read(file, 1<<20)
	if err != nil {
		return false
	}
	name := path.Base(path.Dir(filepath.ToSlash(file)))
	made, err := render("prompt/README.md", values{"Name": name, "Title": title(name)})
	return err == nil && strings.HasPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), made)
}

// checkBesideReadme is check for items that get a README beside files with their name.
func checkBesideReadme(root, folder, name string) error {
	if stem, _, _ := strings.Cut(name, "."); strings.EqualFold(stem, "README") {
		return fmt.Errorf("name %q %w: a README comes with it; choose another", name, ErrName)
	}
	return check(root, folder, name)
}

// check returns an error if a name is invalid, or taken in a folder.
func check(root, folder, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return free(root, folder, name)
}
