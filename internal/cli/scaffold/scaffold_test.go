package scaffold_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/scaffold"
	"github.com/mcp-bash/mcp-bash/v2/internal/uipage"
)

// write carries out a plan that has no error.
func write(t *testing.T, root string) func(p scaffold.Plan, err error) scaffold.Report {
	return func(p scaffold.Plan, err error) scaffold.Report {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		report, err := p.Write(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
}

// everything makes one of each kind, all with a name.
func everything(t *testing.T, root, name string) {
	t.Helper()
	do := write(t, root)
	do(scaffold.Init(root, "shop", true))
	do(scaffold.Tool(root, name, scaffold.ToolOptions{UI: true}))
	do(scaffold.Prompt(root, name))
	do(scaffold.Resource(root, name))
	do(scaffold.Completion(root, name, "prompt."+name, "topic"))
	do(scaffold.UI(root, "page-"+name[:1], "shop", ""))
	do(scaffold.Tests(root))
	do(scaffold.Env())
	do(scaffold.ToolUI(root, "tools/hello", "hello", "", ""))
}

// files are the files below a folder.
func files(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatIsMadeIsFoundWithoutAFaultWhateverItIsCalled(t *testing.T) {
	for _, name := range []string{
		"count", "A", "7", "weather-report", "a.b", "x_y", "test", "LICENSE",
		"tool", "hello.sh", "a.meta", "a.meta.json", "a.completion", "a.completion.sh", "notes.md", "logo.png", "smoke",
		"index.html", "a_test", "a.bak", "a.json", "run", strings.Repeat("n", 128),
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			everything(t, root, name)
			p, err := catalog.Open(root, catalog.Options{})
			is.NoErr(err)
			ctx := t.Context()

			tools, err := p.Tools(ctx)
			is.NoErr(err)
			is.Equal(cmp.Diff(slices.Sorted(slices.Values([]string{name, "hello"})), names(tools.Items, func(o *catalog.Tool) string { return o.Name })), "")
			is.Equal(fmt.Sprint(tools.Faults), "[]")
			for _, tool := range tools.Items {
				is.True(tool.UI != nil)                                      // it has a page
				is.True(tool.Name == "hello" || tool.OutputSchema != nil)    // it says what it prints
				is.True(tool.Description != "" && tool.Annotations != nil)   // and what it is for
				is.True(strings.Contains(string(tool.InputSchema), "false")) // nothing but its arguments
			}

			prompts, err := p.Prompts(ctx)
			is.NoErr(err)
			is.Equal(cmp.Diff([]string{"prompt." + name}, names(prompts.Items, func(o *catalog.Prompt) string { return o.Name })), "")
			is.Equal(fmt.Sprint(prompts.Faults), "[]")

			resources, err := p.Resources(ctx)
			is.NoErr(err)
			is.Equal(fmt.Sprint(resources.Faults), "[]")
			is.Equal(len(resources.Items), 4) // one text, three pages
			found, err := p.ResourceNamed(ctx, "resource."+name)
			is.NoErr(err)
			is.True(found != nil)

			completion, err := p.PromptCompletion(ctx, "prompt."+name, "topic")
			is.NoErr(err)
			is.Equal(completion.Path, filepath.Join(p.Root(), "completions", name+".sh"))
			completers, err := p.Completers(ctx)
			is.NoErr(err)
			is.Equal(fmt.Sprint(completers.Faults), "[]")

			_, faults := p.Identity()
			is.Equal(fmt.Sprint(faults), "[]")
		})
	}
}

func names[T any](items []T, name func(T) string) []string {
	var all []string
	for _, i := range items {
		all = append(all, name(i))
	}
	return all
}

func TestNamesThatSomeSystemRefusesAreRefused(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	for _, name := range []string{
		"", ".", "..", ".a", "-a", "_a", "a b", "a/b", `a\b`, "a:b", "a\nb", "é", "a~", "dot.", "con", "NUL", "Aux.sh", "com1", "lpt9.txt",
		"node_modules", "tools", "server.d", strings.Repeat("n", 129),
	} {
		for kind, plan := range map[string]func() (scaffold.Plan, error){
			"new":        func() (scaffold.Plan, error) { return scaffold.New(root, name, true) },
			"tool":       func() (scaffold.Plan, error) { return scaffold.Tool(root, name, scaffold.ToolOptions{}) },
			"prompt":     func() (scaffold.Plan, error) { return scaffold.Prompt(root, name) },
			"resource":   func() (scaffold.Plan, error) { return scaffold.Resource(root, name) },
			"completion": func() (scaffold.Plan, error) { return scaffold.Completion(root, name, "p", "a") },
			"ui":         func() (scaffold.Plan, error) { return scaffold.UI(root, name, "s", "") },
		} {
			if _, err := plan(); !errors.Is(err, scaffold.ErrName) {
				t.Errorf("%s %q: %v", kind, name, err)
			}
		}
	}
	for _, name := range []string{"lib", "libs", "ui", "tests", "testdata", "vendor"} {
		_, err := scaffold.Tool(root, name, scaffold.ToolOptions{})
		is.True(errors.Is(err, scaffold.ErrName)) // for helpers
	}
	is.Equal(len(files(t, root)), 0) // planning makes nothing
}

func TestNothingIsOverwrittenAndNothingIsLeftOfAPlanThatFails(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	plan, err := scaffold.Tool(root, "late", scaffold.ToolOptions{UI: true})
	is.NoErr(err)
	is.NoErr(os.MkdirAll(filepath.Join(root, "tools", "late"), 0o755)) // somebody was faster
	is.NoErr(os.WriteFile(filepath.Join(root, "tools", "late", "README.md"), []byte("mine"), 0o644))
	report, err := plan.Write(t.Context(), root)
	is.True(errors.Is(err, scaffold.ErrTaken))
	is.Equal(err.Error(), "tools/late/README.md already exists; choose another name, or move it away")
	is.Equal(len(report.Created), 0)
	is.Equal(cmp.Diff([]string{filepath.Join(root, "tools", "late", "README.md")}, files(t, root)), "") // only theirs
	text, err := os.ReadFile(filepath.Join(root, "tools", "late", "README.md"))
	is.NoErr(err)
	is.Equal(string(text), "mine")
}

// endsAfter is a context that ends when it has been asked a number of times.
type endsAfter struct {
	context.Context
	times *int
}

func (c endsAfter) Err() error {
	if *c.times--; *c.times < 0 {
		return context.Canceled
	}
	return nil
}

func TestNothingIsLeftOfAPlanThatIsInterrupted(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	plan, err := scaffold.Init(root, "shop", true)
	is.NoErr(err)
	is.True(len(plan.Files) > 2)
	times := 2
	report, err := plan.Write(endsAfter{t.Context(), &times}, root)
	is.True(errors.Is(err, context.Canceled))
	is.Equal(len(report.Created), 0)
	left, err := os.ReadDir(root)
	is.NoErr(err)
	is.Equal(len(left), 0) // not even folders
}

func TestAFileWhereAFolderBelongsIsAnError(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(root, "server.d"), nil, 0o644))
	plan, err := scaffold.Init(root, "shop", true)
	is.NoErr(err)
	_, err = plan.Write(t.Context(), root)
	is.True(err != nil)
	is.Equal(len(files(t, root)), 1) // nothing else
}

func TestWhatIsMadeHasLFAndIsJSONWhereItSaysSo(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	everything(t, root, "count")
	write(t, root)(scaffold.Tool(root, "snake", scaffold.ToolOptions{Language: "python"}))
	for _, path := range files(t, root) {
		text, err := os.ReadFile(path)
		is.NoErr(err)
		if strings.Contains(string(text), "\r") || !strings.HasSuffix(string(text), "\n") || strings.HasSuffix(string(text), "\n\n") {
			t.Errorf("%s: its lines do not end as they should", path)
		}
		if strings.Contains(string(text), "@{") || strings.Contains(string(text), "<no value>") {
			t.Errorf("%s: a place was not filled in", path)
		}
		if strings.Contains(string(text), root) {
			t.Errorf("%s: names a folder of this machine", path)
		}
		if strings.HasSuffix(path, ".json") && !json.Valid(text) {
			t.Errorf("%s: is no JSON", path)
		}
	}
}

func TestScriptsSatisfyShellcheck(t *testing.T) {
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed, so the scaffolded scripts are not linted")
	}
	root := t.TempDir()
	everything(t, root, "count")
	scripts := slices.DeleteFunc(files(t, root), func(path string) bool {
		return !strings.HasSuffix(path, ".sh") || filepath.Base(path) == "env.sh" // which is data
	})
	is := is.New(t)
	is.Equal(len(scripts), 5) // two tools, smoke, completion, run
	out, err := exec.Command(shellcheck, scripts...).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPythonCompiles(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so the scaffolded Python tool cannot run")
	}
	root := t.TempDir()
	write(t, root)(scaffold.Tool(root, "snake", scaffold.ToolOptions{Language: "python"}))
	check := "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())"
	if out, err := exec.Command(python, "-c", check, filepath.Join(root, "tools", "snake", "tool.py")).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestInitGivesNoHelloToAProjectWithTools(t *testing.T) {
	for name, test := range map[string]struct {
		has  string
		want []string
	}{
		"nothing":       {"notes.txt", []string{"server.d/server.meta.json", ".gitignore", ".gitattributes", "tools/hello/tool.meta.json", "tools/hello/tool.sh"}},
		"a tool":        {"tools/own.sh", []string{"server.d/server.meta.json", ".gitignore", ".gitattributes"}},
		"half of hello": {"tools/hello/tool.sh", []string{"server.d/server.meta.json", ".gitignore", ".gitattributes"}},
		"a hidden file": {"tools/.keep", []string{"server.d/server.meta.json", ".gitignore", ".gitattributes", "tools/hello/tool.meta.json", "tools/hello/tool.sh"}},
		"an ignore":     {".gitignore", []string{"server.d/server.meta.json", ".gitattributes", "tools/hello/tool.meta.json", "tools/hello/tool.sh"}},
		"YAML":          {"server.d/server.meta.yml", []string{".gitignore", ".gitattributes", "tools/hello/tool.meta.json", "tools/hello/tool.sh"}},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			path := filepath.Join(root, filepath.FromSlash(test.has))
			is.NoErr(os.MkdirAll(filepath.Dir(path), 0o755))
			is.NoErr(os.WriteFile(path, []byte("mine\n"), 0o644))
			report := write(t, root)(scaffold.Init(root, "shop", true))
			is.Equal(cmp.Diff(test.want, report.Created), "")
			text, err := os.ReadFile(path)
			is.NoErr(err)
			is.True(strings.HasPrefix(string(text), "mine\n")) // as it was
			is.Equal(strings.HasSuffix(string(text), "Thumbs.db\n"), test.has == ".gitignore")
		})
	}
}

func TestInitKeepsTheLineEndsOfAnIgnoreFileAndChangesNoneThatIsALink(t *testing.T) {
	is := is.New(t)
	root := t.TempDir()
	path := filepath.Join(root, ".gitignore")
	is.NoErr(os.WriteFile(path, []byte("mine\r\n"), 0o644))
	write(t, root)(scaffold.Init(root, "shop", true))
	text, err := os.ReadFile(path)
	is.NoErr(err)
	is.True(strings.HasSuffix(string(text), "Thumbs.db\r\n"))
	is.Equal(strings.Count(string(text), "\n"), strings.Count(string(text), "\r\n"))

	others := filepath.Join(t.TempDir(), "global")
	is.NoErr(os.WriteFile(others, []byte("theirs\n"), 0o644))
	root = t.TempDir()
	if err := os.Symlink(others, filepath.Join(root, ".gitignore")); err != nil {
		t.Skip("no links: ", err)
	}
	write(t, root)(scaffold.Init(root, "shop", true))
	text, err = os.ReadFile(others)
	is.NoErr(err)
	is.Equal(string(text), "theirs\n")
}

func TestInitMakesANameOfTheFolder(t *testing.T) {
	for folder, want := range map[string]string{
		"weather": "weather", "My Tools!": "My-Tools", "  a  ": "a", "été 2025": "t-2025", "con": "", "日本": "", "...": "",
	} {
		t.Run(folder, func(t *testing.T) {
			is := is.New(t)
			plan, err := scaffold.Init(filepath.Join(t.TempDir(), folder), "", false)
			if want == "" {
				is.True(errors.Is(err, scaffold.ErrName))
				return
			}
			is.NoErr(err)
			is.True(strings.Contains(plan.Files[0].Text, fmt.Sprintf("\"name\": %q", want)))
		})
	}
}

func TestEveryTemplateOfPagesCanBeScaffolded(t *testing.T) {
	for _, template := range uipage.Templates() {
		t.Run(template, func(t *testing.T) {
			is := is.New(t)
			root := t.TempDir()
			do := write(t, root)
			do(scaffold.Tool(root, "x", scaffold.ToolOptions{}))
			do(scaffold.UI(root, "board", "shop", template))
			do(scaffold.ToolUI(root, "tools/x", "x", "", template))
			for _, file := range []string{"ui/board/ui.meta.json", "tools/x/ui/ui.meta.json"} {
				text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
				is.NoErr(err)
				var made struct {
					Template string
					Config   json.RawMessage
				}
				is.NoErr(json.Unmarshal(text, &made))
				is.Equal(made.Template, template)
				faults, err := uipage.Check(template, made.Config)
				is.NoErr(err)
				is.Equal(len(faults), 0)
			}
		})
	}
}
