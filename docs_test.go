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
)

// The Go code of a page is compiled, all blocks of a page as one package. A
// block that begins with a declaration is part of a file. Any other is the body
// of a function; what it takes for granted is declared in a comment before it:
//
//	<!-- with: var log *slog.Logger -->
const convention = "see docs_test.go"

// imported are the packages that blocks use without an import.
var imported = map[string]string{
	"bytes": "bytes", "context": "context", "errors": "errors", "fmt": "fmt", "json": "encoding/json", "slog": "log/slog",
	"os": "os", "strings": "strings", "sync": "sync", "testing": "testing", "time": "time",
	"pipeline": module + "pipeline", "pipetest": module + "pipeline/pipetest", "middleware": module + "middleware",
}

var (
	goBlock     = regexp.MustCompile("(?ms)^(?:<!-- with: (.*?) -->\n+)?```go\n(.*?)^```$")
	declaration = regexp.MustCompile(`(?m)\A(?://.*\n)*(?:func|type|var|const)\b`)
	assigned    = regexp.MustCompile(`(?m)^\t*(\w+)(?:, (\w+))? := `)
)

// asFiles makes a Go file of each block of a page.
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
		files = append(files, fmt.Sprintf("%sfunc block%d() {\n%s\n%s%s%s}\n", head, i, given, origin, code, uses))
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
	for _, page := range []string{"MIDDLEWARE.md", "ARCHITECTURE.md"} {
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

// TestTheProgramOfThePackageCommentRuns pastes the program that the comment of
// package pipeline begins with, and runs it.
func TestTheProgramOfThePackageCommentRuns(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), "pipeline/doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	_, text, _ := strings.Cut(tree.Doc.Text(), "\tpackage main\n")
	program.WriteString("package main\n")
	for line := range strings.Lines(text) {
		code, ok := strings.CutPrefix(line, "\t")
		if !ok && line != "\n" {
			break // the text behind it
		}
		program.WriteString(code)
	}
	path := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(path, []byte(program.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("go", "run", path)
	run.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"add","params":{"a":2,"b":3}}` + "\n")
	out, err := run.CombinedOutput()
	if want := `{"jsonrpc":"2.0","id":1,"result":5}` + "\n"; string(out) != want {
		t.Errorf("%v\ngot %s\nwant %s", err, out, want)
	}
}
