package house

import (
	"fmt"
	"go/ast"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/handlers"
	"github.com/mcp-bash/mcp-bash/v2/internal/madetest"
	"github.com/mcp-bash/mcp-bash/v2/middleware"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

// Stages, providers, methods and framings are what the house grows by. Each comes with a test and a place in the docs, most
// with an example that is run; and the docs' tables of them are what the program has.

// textsOf returns the texts of all files below a folder whose names end in one of the endings, as one.
func textsOf(t *testing.T, dir string, endings ...string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(path, e) }) {
			return err
		}
		b, err := os.ReadFile(path)
		all.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// page returns the text of a page of the docs.
func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// hasExample reports whether tests have an Example of a name, with an output.
func hasExample(tests, name string) bool {
	_, rest, found := strings.Cut(tests, "\nfunc Example"+name+"()")
	body, _, _ := strings.Cut(rest, "\n}\n")
	return found && strings.Contains(body, "// Output:")
}

func TestEveryStageHasATestAnExampleAndASectionInTheDocs(t *testing.T) {
	manual, stages := page(t, "MIDDLEWARE.md"), 0
	for _, f := range files(t) {
		if f.dir != "middleware" || strings.HasSuffix(f.path, "doc.go") || strings.HasSuffix(f.path, "standard.go") {
			continue // the list of them all
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
		tests := textsOf(t, "middleware", "/"+name+"_test.go", "/"+name+"_example_test.go")
		if !strings.Contains(tests, "func Test") {
			t.Errorf("%s has no func Test in %s_test.go", f.path, name)
		}
		if !hasExample(tests, constructor) {
			t.Errorf("%s has no Example with an output", f.path)
		}
		if !strings.Contains(manual, "\n### "+name+"\n") {
			t.Errorf("docs/MIDDLEWARE.md has no section %q", "### "+name)
		}
	}
	if stages < 10 {
		t.Errorf("found only %d stages", stages)
	}
}

// constructorOf returns the exported function of a file that creates a stage.
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

func TestTheTableOfStagesIsTheChain(t *testing.T) {
	// All that is off by default is on, or a stage would have no doors.
	stages := server.Stages(server.Options{
		Minimal: true,
		Secret:  middleware.Secret{Token: strings.Repeat("x", middleware.MinSecret)},
		Limits:  server.Limits{Idle: 1, Requests: 1},
		Record:  io.Discard,
		Calls:   slog.New(slog.DiscardHandler),
	})
	var rows, want []string
	_, table, _ := strings.Cut(page(t, "ARCHITECTURE.md"), "\n| stage | door |")
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) == 3 {
			rows = append(rows, strings.TrimPrefix(cells[0], "| ")+": "+cells[1])
		} else if strings.TrimSpace(line) == "" {
			break
		}
	}
	for _, s := range stages {
		want = append(want, s.Name+": "+doors(s))
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the table of stages in docs/ARCHITECTURE.md has\n%q, the chain has\n%q\n"+
			"(one without doors is off: let this test turn it on)", rows, want)
	}
	at := 0
	for _, s := range stages {
		i := strings.Index(page(t, "MIDDLEWARE.md"), "\n### "+s.Name+"\n")
		if i < at {
			t.Errorf("docs/MIDDLEWARE.md does not have its sections in the order of the chain: %s", s.Name)
		}
		at = i
	}
}

// doors returns which doors a stage has.
func doors(s pipeline.Middleware) string {
	var all []string
	if s.Inbound != nil {
		all = append(all, "in")
	}
	if s.Leaving != nil {
		all = append(all, "leaving")
	}
	if s.Outbound != nil {
		all = append(all, "out")
	}
	return strings.Join(all, ", ")
}

func TestEveryProviderHasATestAnExampleAndASectionInTheDocs(t *testing.T) {
	manual, tests := page(t, "PROVIDERS.md"), textsOf(t, "providers", "_test.go")
	types := map[string]string{} // by their files
	for _, f := range files(t) {
		name := typeWith("Read", f.tree)
		if f.dir != "providers" || name == "" {
			continue
		}
		types[strings.TrimSuffix(filepath.Base(f.path), ".go")] = name
		if !regexp.MustCompile(`\b(New)?` + name + `[({]`).MatchString(tests) {
			t.Errorf("%s: no test has a %s", f.path, name)
		}
		if !hasExample(tests, name) {
			t.Errorf("%s has no Example%s with an output", f.path, name)
		}
	}
	_, table, _ := strings.Cut(manual, "\n| URI | reads |")
	table, _, _ = strings.Cut(table, "\n\n")
	var rows, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z+]+):").FindAllStringSubmatch(table, -1) {
		rows = append(rows, row[1])
	}
	for name, scheme := range server.BuiltIn() {
		want = append(want, scheme)
		if !strings.EqualFold(types[name], name) {
			t.Errorf("providers/%s.go has no provider of the scheme %s", name, scheme)
		}
		if !strings.Contains(manual, "\n## "+scheme+"\n") {
			t.Errorf("docs/PROVIDERS.md has no section %q", "## "+scheme)
		}
	}
	slices.Sort(rows)
	slices.Sort(want)
	if !slices.Equal(rows, want) {
		t.Errorf("the table in docs/PROVIDERS.md has rows for %q; the built-in schemes are %q", rows, want)
	}
}

// typeWith returns the type of a file that has a method; "" if there is none.
func typeWith(method string, tree *ast.File) string {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.Name != method {
			continue
		}
		of := f.Recv.List[0].Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		return fmt.Sprint(of)
	}
	return ""
}

func TestEveryFramingHasATestAndAPlaceInTheDocs(t *testing.T) {
	manual, tests, framings := page(t, "ARCHITECTURE.md"), textsOf(t, "pipeline", "/framing_test.go"), 0
	for _, f := range files(t) {
		name := typeWith("ReadObject", f.tree)
		if f.dir != "pipeline" || name == "" {
			continue
		}
		framings++
		if !strings.Contains(tests, "\t\""+name+"\": {\n") {
			t.Errorf("%s: %s has no row in pipeline/framing_test.go, which tests what all framings keep to", f.path, name)
		}
		if !strings.Contains(manual, "`"+name+"`") {
			t.Errorf("docs/ARCHITECTURE.md does not name `%s`, the framing in %s", name, f.path)
		}
	}
	if framings < 2 {
		t.Errorf("found only %d framings", framings)
	}
}

// methods has a row for each method that the server answers.
func methods() []handlers.Method {
	return slices.Collect(handlers.Table(handlers.Families{
		Resources:  &handlers.Resources{},
		Prompts:    &handlers.Prompts{},
		Completion: &handlers.Completion{},
		Tasks:      &handlers.Tasks{},
		Listens:    &handlers.Listens{},
	}).All())
}

// TestEveryMethodHasATestAndAConversation: the conversation, recorded or in Go, is its example.
func TestEveryMethodHasATestAndAConversation(t *testing.T) {
	tests := textsOf(t, "handlers", "_test.go")
	conversations := textsOf(t, "e2e", "_test.go", ".ndjson") + textsOf(t, "examples", ".ndjson")
	for _, m := range methods() {
		for where, texts := range map[string]string{"tests of handlers": tests, "conversation in e2e or examples": conversations} {
			if !strings.Contains(texts, `"`+m.Name+`"`) {
				t.Errorf("%s is in no %s", m.Name, where)
			}
		}
	}
}

func TestTheTableOfMethodsIsWhatTheServerAnswers(t *testing.T) {
	table := "| method | revisions | waits for a slot | seconds, at most |\n|---|---|---|---|\n"
	var rows []string
	for _, m := range methods() {
		era := []string{"all", "2024-11-05 to 2025-11-25", "2026-07-28"}[m.Era]
		slot, limit := "", ""
		if m.Slow {
			slot = "yes"
		}
		if m.Limit > 0 {
			limit = fmt.Sprint(m.Limit.Seconds())
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |\n", m.Name, era, slot, limit))
	}
	slices.Sort(rows)
	madetest.Part(t, "docs/REVISIONS.md", "methods", table+strings.Join(rows, ""))
}
