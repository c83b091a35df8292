package house

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/docs"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// The Go code of a page is compiled, all blocks of a page as one package. A block that begins with
// a declaration is part of a file. Any other is the body of a function, which returns an error if
// it returns; the variables that it assumes are declared in a comment before it:
//
//	<!-- with: var log *slog.Logger -->
const convention = "see docs_test.go"

// imported are the packages that blocks use without an import.
var imported = map[string]string{
	"bytes": "bytes", "context": "context", "errors": "errors", "fmt": "fmt", "io": "io", "json": "encoding/json", "slog": "log/slog",
	"os": "os", "slices": "slices", "strings": "strings", "sync": "sync", "testing": "testing", "time": "time",
	"pipeline": module + "pipeline", "pipetest": module + "pipeline/pipetest", "behind": module + "pipeline/behind", "middleware": module + "middleware", "server": module + "server",
	"providers": module + "providers",
}

var (
	goBlock     = regexp.MustCompile("(?ms)^(?:<!-- with: (.*?) -->\n+)?```go\n(.*?)^```$")
	declaration = regexp.MustCompile(`(?m)\A(?://.*\n)*(?:func|type|var|const)\b`)
	assigned    = regexp.MustCompile(`(?m)^(\w+)(?:, (\w+))? := `)
)

// asFiles returns a Go file for each block of a page.
func asFiles(page, text string) (files []string) {
	for i, block := range goBlock.FindAllStringSubmatchIndex(text, -1) {
		given, code := "", text[block[4]:block[5]]
		if block[2] >= 0 {
			given = text[block[2]:block[3]]
		}
		line := 1 + strings.Count(text[:block[4]], "\n")
		head := fmt.Sprintf("package %s\n", strings.ToLower(strings.TrimSuffix(page, ".md")))
		for name, path := range imported {
			if regexp.MustCompile(`\b` + name + `\.`).MatchString(given + code) {
				head += fmt.Sprintf("import %q\n", path)
			}
		}
		origin := fmt.Sprintf("//line docs/%s:%d\n", page, line)
		if declaration.MatchString(code) {
			files = append(files, head+given+"\n"+origin+code)
			continue
		}
		uses := ""
		for _, names := range assigned.FindAllStringSubmatch(code, -1) {
			for _, name := range names[1:] {
				if name != "" && name != "_" {
					uses += "_ = " + name + "\n"
				}
			}
		}
		result, last := "", ""
		if strings.Contains(code, "return ") {
			result, last = " error", "return nil\n"
		}
		files = append(files, fmt.Sprintf("%sfunc block%d()%s {\n%s\n%s%s%s%s}\n", head, i, result, given, origin, code, uses, last))
	}
	return files
}

// build compiles pages as packages of this module that are not on disk.
func build(t *testing.T, pages map[string]string) (output string) {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	temp, overlay, packages := t.TempDir(), map[string]string{}, []string{}
	for page, text := range pages {
		dir := filepath.Join(root, "docs", strings.ToLower(strings.TrimSuffix(page, ".md")))
		packages = append(packages, "./"+filepath.ToSlash(filepath.Join("docs", filepath.Base(dir))))
		for i, content := range asFiles(page, text) {
			name := fmt.Sprintf("block%d.go", i)
			path := filepath.Join(temp, filepath.Base(dir)+name)
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(dir, name)] = path
		}
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(list, replace, 0o644); err != nil {
		t.Fatal(err)
	}
	slices.Sort(packages)
	out, err := exec.Command("go", append([]string{"build", "-overlay", list}, packages...)...).CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}

func TestTheCodeInTheDocsCompiles(t *testing.T) {
	pages := map[string]string{}
	for _, page := range []string{"MIDDLEWARE.md", "ARCHITECTURE.md", "LIBRARY.md"} {
		text, err := os.ReadFile(filepath.Join("docs", page))
		if err != nil {
			t.Fatal(err)
		}
		pages[page] = string(text)
		if n := len(asFiles(page, string(text))); n == 0 || n != strings.Count(string(text), "```go\n") {
			t.Errorf("docs/%s has blocks of Go that are not read: %d are", page, n)
		}
	}
	if out := build(t, pages); out != "" {
		t.Errorf("%s%s", out, convention)
	}
}

func TestCodeInTheDocsThatDoesNotCompileIsFound(t *testing.T) {
	out := build(t, map[string]string{"PAGE.md": "# Title\n\n```go\nfunc f() {\n\tpipeline.Nope()\n}\n```\n\n<!-- with: var n int -->\n```go\ngot := n + \"x\"\n```\n"})
	for _, want := range []string{"docs/PAGE.md:5", "undefined: pipeline.Nope", "docs/PAGE.md:11"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
}

// pasted returns the program at the beginning of a package comment, "" if there is none.
func pasted(t *testing.T, doc string) string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), doc, nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(tree.Doc.Text(), "\tpackage main\n")
	if !found {
		return ""
	}
	var program strings.Builder
	program.WriteString("package main\n")
	for line := range strings.Lines(text) {
		code, ok := strings.CutPrefix(line, "\t")
		if !ok && line != "\n" {
			break // the text after it
		}
		program.WriteString(code)
	}
	return program.String()
}

func TestTheProgramsOfPackageCommentsRun(t *testing.T) {
	sum := [2]string{`{"jsonrpc":"2.0","id":1,"method":"add","params":{"A":2,"B":3}}`, `{"jsonrpc":"2.0","id":1,"result":5}`}
	for doc, c := range map[string][2]string{ // its input, its output
		"pipeline/doc.go":   {strings.ToLower(sum[0]), sum[1]},
		"middleware/doc.go": sum,
		"handlers/doc.go":   {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"providers/doc.go":  {"", "hello"},
		"mcp/doc.go":        {"", "2025-06-18 false"},
		"server/doc.go":     {"", "file does not exist"}, // its project
	} {
		t.Run(filepath.Dir(doc), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(path, []byte(pasted(t, doc)), 0o600); err != nil {
				t.Fatal(err)
			}
			run := exec.Command("go", slices.Concat([]string{"run"}, strings.Fields(rig.Flags), []string{path})...)
			run.Env = append(run.Environ(), "CGO_ENABLED=0")
			run.Stdin = strings.NewReader(c[0] + "\n")
			out, _ := run.CombinedOutput() // one of them fails, as its project does not exist
			if !strings.Contains(string(out), c[1]) {
				t.Errorf("got %s\nwant %s", out, c[1])
			}
		})
	}
}

func TestEveryPageHasAReaderAndAQuestion(t *testing.T) {
	for _, p := range docs.Pages() {
		if begin := regexp.MustCompile(`^# .*\n\nFor [^:]+: [^?]+\?`); !begin.MatchString(page(t, p.Name+".md")) {
			t.Errorf("docs/%s.md does not begin with its reader and the reader's question: For READER: QUESTION?", p.Name)
		}
	}
}

func TestTheStepsOfCIAreListedForContributors(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var steps, listed []string
	for _, step := range regexp.MustCompile(`(?m)^\s*step "(.*)"$`).FindAllStringSubmatch(read(".ci/run"), -1) {
		steps = append(steps, step[1])
	}
	_, table, _ := strings.Cut(read("CONTRIBUTING.md"), "\n| step | alone |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		listed = append(listed, name)
	}
	if len(steps) < 10 || !slices.Equal(steps, listed) {
		t.Errorf("the steps of .ci/run are\n%q\nand CONTRIBUTING.md lists\n%q", steps, listed)
	}
	recipes := read("justfile")
	for _, name := range regexp.MustCompile(`\bjust ([a-z][a-z-]*)`).FindAllStringSubmatch(read("CONTRIBUTING.md")+read("docs/PERFORMANCE.md"), -1) {
		if !regexp.MustCompile(`(?m)^` + name[1] + `( [^\n]*)?:`).MatchString(recipes) {
			t.Errorf("documents name just %s, which is not a recipe", name[1])
		}
	}
}
