package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/files"
)

// New plans a project in a new folder in parent. With hello it has an example tool.
func New(parent, name string, hello bool) (Plan, error) {
	if err := CheckName(name); err != nil {
		return Plan{}, err
	}
	if _, err := os.Lstat(filepath.Join(parent, name)); err == nil {
		return Plan{}, fmt.Errorf("%s %w; choose another name, or make a project of it: cd %s && mcp-bash init", name,
			ErrTaken, name)
	}
	begin := "project/begin.md"
	if hello {
		begin = "project/begin-hello.md"
	}
	begun, err := render(begin, nil)
	if err != nil {
		return Plan{}, err
	}
	v := values{"Name": name, "Title": title(name), "Begin": begun}
	parts := append(skeleton(), part{"README.md", "project/README.md"})
	if hello {
		parts = append(parts, helloTool()...)
	}
	p, err := plan(name+"/", v, parts...)
	p.Next = append([][]string{{"cd", name}}, first(hello)...)
	return p, err
}

// Init plans the files that make a folder a project. An empty name is derived from the
// name of the folder. With hello it gets an example tool, unless it has tools.
func Init(root, name string, hello bool) (Plan, error) {
	if name == "" {
		if name = NameOf(filepath.Base(root)); name == "" {
			return Plan{}, fmt.Errorf("the folder is called %q, which %w as a name; give it one with --name",
				filepath.Base(root), ErrName)
		}
	} else if err := CheckName(name); err != nil {
		return Plan{}, err
	}
	parts, tried := skeleton(), false
	if found, _ := filepath.Glob(filepath.Join(root, "server.d", "server.meta.*")); len(found) > 0 {
		parts[0].path = "server.d/" + filepath.Base(found[0]) // it may be YAML: a second file would hide it
	}
	if hello {
		for _, one := range helloTool() {
			_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(one.path)))
			if err == nil || !hasTools(root) {
				parts, tried = append(parts, one), true
			}
		}
	}
	p, err := plan("", values{"Name": name, "Title": title(name)}, parts...)
	p.Keep = true
	for i, f := range p.Files {
		if f.Path == ".gitignore" {
			p.Files[i] = completed(root, f)
		}
	}
	p.Note = "a script becomes a tool when it lies in tools/, can be executed, and says what it is:\n" +
		`  # mcp: {"description":"..."}`
	p.Next = first(tried)
	return p, err
}

// completed returns a planned file of lines, or, if the file exists, the lines that it lacks. A link is
// left alone: its file may be that of all projects.
func completed(root string, f File) File {
	text, err := files.ReadUnlinked(filepath.Join(root, f.Path), 1<<20)
	if err != nil {
		return f // the file does not exist, or cannot be written to
	}
	end := "\n"
	if strings.HasSuffix(string(text), "\r\n") {
		end = "\r\n"
	}
	var has []string
	for line := range strings.Lines(string(text)) {
		has = append(has, strings.TrimSpace(line))
	}
	var lacks strings.Builder
	for line := range strings.Lines(f.Text) {
		if entry := strings.TrimSpace(line); entry != "" && !strings.HasPrefix(entry, "#") && !slices.Contains(has, entry) {
			lacks.WriteString(entry + end)
		}
	}
	if lacks.Len() > 0 {
		f.Text, f.Append = lacks.String(), true
	}
	return f
}

// skeleton returns the parts of every project.
func skeleton() []part {
	return []part{
		{"server.d/server.meta.json", "project/server.meta.json"},
		{".gitignore", "project/gitignore"},
		{".gitattributes", "project/gitattributes"},
	}
}

func helloTool() []part {
	return []part{
		{"tools/hello/tool.meta.json", "hello/tool.meta.json"},
		{"tools/hello/tool.sh", "hello/tool.sh"},
	}
}

// first returns the first commands to type in a project.
func first(hello bool) [][]string {
	if hello {
		return [][]string{{"mcp-bash", "call", "hello", "name=you"}, install()}
	}
	return [][]string{{"mcp-bash", "scaffold", "tool", "my-tool"}, install()}
}

// install returns the command that installs the project in the client that is chosen then.
func install() []string { return []string{"mcp-bash", "install"} }

// hasTools reports whether there is anything in tools/.
func hasTools(root string) bool {
	entries, _ := os.ReadDir(filepath.Join(root, "tools"))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			return true
		}
	}
	return false
}
