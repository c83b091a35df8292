// Package house keeps the rules of the house: who may import whom, what only the
// command may touch, and what every stage comes with.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mcp-bash/mcp-bash/v2/"

// mayImport says which of our packages a package may import. A package that is
// not listed may not import any; cmd may import all.
var mayImport = map[string][]string{
	"pipeline":             {},
	"pipeline/pipetest":    {"pipeline"},
	"mcp":                  {},
	"mcp/mcptest":          {},
	"internal/schema":      {},
	"internal/scaffold":    {"internal/files"},
	"internal/console":     {},
	"internal/clients":     {"mcp", "internal/files", "internal/script"},
	"internal/check":       {"internal/hooks", "internal/files", "internal/project", "internal/script"},
	"internal/doctor":      {"internal/check", "internal/hooks", "internal/nearmiss", "internal/files", "internal/script"},
	"internal/hooks":       {"internal/files"},
	"internal/files":       {},
	"internal/roots":       {"internal/files"},
	"internal/policy":      {"internal/hooks", "internal/script"},
	"internal/script":      {"internal/files"},
	"internal/project":     {"internal/files", "internal/nearmiss", "internal/hooks", "mcp", "internal/script", "internal/uipage"},
	"internal/round":       {"internal/files", "internal/sdk"},
	"internal/assignments": {},
	"internal/serverenv":   {"internal/files", "internal/assignments", "internal/hooks", "internal/script"},
	"internal/bundle":      {"internal/assignments", "internal/files", "internal/project"},
	"internal/vendored":    {"internal/files"},
	"internal/uipage":      {"internal/schema"},
	"internal/sdk":         {"internal/files", "internal/fetch", "mcp", "internal/script"},
	"internal/interview":   {"internal/console"},
	"internal/nearmiss":    {},
	"internal/jq":          {},
	"internal/run":         {"internal/files", "mcp", "internal/project", "internal/roots", "internal/schema", "internal/script", "internal/sdk"},
	"internal/watch":       {},
	"internal/redact":      {},
	"server": {
		"pipeline", "middleware", "mcp", "handlers", "providers",
		"internal/hooks", "internal/policy", "internal/project", "internal/redact", "internal/roots",
		"internal/round", "internal/script", "internal/sdk", "internal/serverenv", "internal/run", "internal/uipage", "internal/watch",
	},
	"middleware": {"pipeline", "mcp", "internal/redact"},
	"handlers":   {"pipeline", "mcp", "internal/project", "internal/roots", "internal/round", "internal/sdk", "internal/run"},

	"internal/fetch":        {},
	"internal/sdk/download": {"internal/files", "internal/fetch"},
	"providers":             {"internal/files", "internal/fetch", "mcp"},

	"examples/custom-middleware": {"pipeline", "middleware"},
	"examples/embedded-server":   {"pipeline", "server"},
	"examples/other-protocol":    {"pipeline", "middleware"},
}

// A file is a Go file of ours that is not a test.
type file struct {
	path string // from the root, with slashes
	dir  string
	tree *ast.File
}

func files(t *testing.T) []file {
	t.Helper()
	var all []file
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		all = append(all, file{filepath.ToSlash(path), filepath.ToSlash(filepath.Dir(path)), tree})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found only %d files", len(all))
	}
	return all
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	for _, f := range files(t) {
		allowed, listed := mayImport[f.dir]
		if strings.HasPrefix(f.dir, "cmd/") {
			continue
		}
		for _, i := range f.tree.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			ours, ok := strings.CutPrefix(path, module)
			if ok && !slices.Contains(allowed, ours) && !strings.HasPrefix(ours, f.dir+"/") {
				t.Errorf("%s imports %s, which %s may not (listed: %v); see docs/ARCHITECTURE.md", f.path, ours, f.dir, listed)
			}
		}
	}
}

func TestOnlyTheCommandTouchesTheProcess(t *testing.T) {
	forbidden := []string{"Stdout", "Getenv", "LookupEnv", "Environ", "Exit", "Setenv"}
	for _, f := range files(t) {
		if f.tree.Name.Name == "main" {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(forbidden, s.Sel.Name) {
				t.Errorf("%s uses os.%s: only a command may; take a value instead", f.path, s.Sel.Name)
			}
			return true
		})
	}
}

func TestEveryStageHasATestAnExampleAndASectionInTheDocs(t *testing.T) {
	manual, err := os.ReadFile("docs/MIDDLEWARE.md")
	if err != nil {
		t.Fatal(err)
	}
	stages := 0
	for _, f := range files(t) {
		if f.dir != "middleware" || strings.HasSuffix(f.path, "doc.go") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(f.path), ".go")
		constructor := constructorOf(f.tree)
		if constructor == "" {
			t.Errorf("%s has no constructor of a stage", f.path)
			continue
		}
		stages++
		if !strings.EqualFold(constructor, name) {
			t.Errorf("%s holds %s: a file is named after its stage", f.path, constructor)
		}
		tests := ""
		for _, path := range []string{"_test.go", "_example_test.go"} {
			b, _ := os.ReadFile("middleware/" + name + path)
			tests += string(b)
		}
		if !strings.Contains(tests, "func Test") {
			t.Errorf("%s has no test beside it", f.path)
		}
		if !strings.Contains(tests, "func Example"+constructor+"()") || !strings.Contains(tests, "// Output:") {
			t.Errorf("%s has no Example with an output", f.path)
		}
		if !strings.Contains(string(manual), "\n### "+name+"\n") {
			t.Errorf("docs/MIDDLEWARE.md has no section %q", "### "+name)
		}
	}
	if stages < 10 {
		t.Errorf("found only %d stages", stages)
	}
}

// constructorOf returns the exported function of a file that makes a stage.
func constructorOf(tree *ast.File) string {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil {
			continue
		}
		for _, r := range f.Type.Results.List {
			if s, ok := r.Type.(*ast.SelectorExpr); ok && s.Sel.Name == "Middleware" {
				return f.Name.Name
			}
		}
	}
	return ""
}

func TestNoTestSleeps(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "time."+"Sleep(") {
			t.Errorf("%s sleeps: use testing/synctest, or wait for what happens", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// opensFiles are the files that open others by themselves, and why; all else goes through
// internal/files, so that neither a pipe nor a device nor a large file holds anybody up.
var opensFiles = map[string]string{
	"internal/clients/lock_unix.go":  "a folder, to lock it",
	"internal/jq/inputs.go":          "as jq does, also pipes: the user names them",
	"internal/jq/bind.go":            "as jq does, also pipes: the user names them",
	"internal/jq/compile.go":         "as jq does, also pipes: the user names them",
	"internal/run/stream_unix.go":    "its own pipe",
	"internal/run/stream_windows.go": "its own file",
	"internal/sdk/pipes_unix.go":     "its own pipes",
	"internal/scaffold/write.go":     "for writing, what is new or the user's own",
	"internal/script/proc_linux.go":  "/proc",
	"internal/script/streams.go":     "the null device",
}

func TestFilesOfOthersAreOpenedInOnePlace(t *testing.T) {
	for _, f := range files(t) {
		if f.tree.Name.Name == "main" || f.dir == "internal/files" || f.dir == "pipeline/pipetest" || f.dir == "mcp/mcptest" || opensFiles[f.path] != "" {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains([]string{"Open", "OpenFile", "ReadFile"}, s.Sel.Name) {
				t.Errorf("%s uses os.%s: use internal/files", f.path, s.Sel.Name)
			}
			return true
		})
	}
}
