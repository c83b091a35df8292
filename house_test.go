// Package house checks the rules of this repository: which packages may import which, what only
// commands may use, and what every stage, provider and method comes with.
package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/mcp-bash/mcp-bash/v2/"

// A room is a row of the table of packages in docs/ARCHITECTURE.md.
type room struct {
	path string
	may  []string // the packages of ours that it may import; nil for all
}

var quoted = regexp.MustCompile("`([^`]+)`")

// rooms parses the table.
func rooms(t *testing.T) map[string]room {
	t.Helper()
	text, err := os.ReadFile("docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## The rooms\n")
	table, _, _ = strings.Cut(table, "\n## ")
	all := make(map[string]room)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		r := room{path: quoted.FindStringSubmatch(cells[1])[1], may: []string{}}
		for _, name := range quoted.FindAllStringSubmatch(cells[3], -1) {
			r.may = append(r.may, name[1])
		}
		if strings.TrimSpace(cells[3]) == "all" {
			r.may = nil
		}
		if _, twice := all[r.path]; twice {
			t.Errorf("docs/ARCHITECTURE.md has two rows for %s", r.path)
		}
		all[r.path] = r
	}
	return all
}

// A file is a Go file of this repository that is not a test.
type file struct {
	path string // from the root, with slashes
	dir  string
	tree *ast.File
}

func files(t *testing.T) []file {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found only %d files", len(all))
	}
	return all
}

// parsed parses all files once, for all tests.
var parsed = sync.OnceValues(func() (all []file, err error) {
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || path == "bench"): // bench is a module of its own
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		all = append(all, file{filepath.ToSlash(path), filepath.ToSlash(filepath.Dir(path)), tree})
		return err
	})
	return all, err
})

func TestPackagesImportWhatTheTableOfRoomsSays(t *testing.T) {
	rooms, used := rooms(t), make(map[string][]string)
	for _, f := range files(t) {
		if strings.HasPrefix(f.dir, "examples/") { // programs as users would write them
			for _, i := range f.tree.Imports {
				if strings.Contains(i.Path.Value, module+"internal/") {
					t.Errorf("%s imports %s, which other programs cannot", f.path, i.Path.Value)
				}
			}
			continue
		}
		r, listed := rooms[f.dir]
		if used[f.dir] == nil {
			used[f.dir] = []string{}
			if !listed {
				t.Errorf("docs/ARCHITECTURE.md has no row for %s", f.dir)
			}
		}
		for _, i := range f.tree.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			ours, ok := strings.CutPrefix(path, module)
			if !ok {
				continue
			}
			used[f.dir] = append(used[f.dir], ours)
			if isJSON(ours) || ours == "internal/lazyregexp" {
				continue
			}
			if r.may != nil && !slices.Contains(r.may, ours) {
				t.Errorf("%s imports %s, which %s may not; see docs/ARCHITECTURE.md", f.path, ours, f.dir)
			}
		}
	}
	for _, r := range rooms {
		if used[r.path] == nil {
			t.Errorf("docs/ARCHITECTURE.md has a row for %s, which does not exist", r.path)
		}
		for _, name := range r.may {
			if used[r.path] != nil && !slices.Contains(used[r.path], name) {
				t.Errorf("docs/ARCHITECTURE.md lets %s import %s, which it does not", r.path, name)
			}
		}
	}
}

// isJSON reports whether a package stands in for Go's own encoding/json/v2: all packages may import
// it, as they may import the standard library.
func isJSON(dir string) bool {
	return dir == "internal/json"
}

func TestTheNextJSONOfGoIsImportedInOnePlace(t *testing.T) {
	for _, f := range files(t) {
		for _, i := range f.tree.Imports {
			if strings.Contains(i.Path.Value, "go-json-experiment") && !isJSON(f.dir) {
				t.Errorf("%s imports %s; import internal/json", f.path, i.Path.Value)
			}
		}
	}
}

func TestOnlyTheCommandTouchesTheProcess(t *testing.T) {
	forbidden := []string{"Stdout", "Getenv", "LookupEnv", "Environ", "Exit", "Setenv"}
	for _, f := range files(t) {
		if f.tree.Name.Name == "main" || f.dir == "internal/shelltest" || f.dir == "internal/ptytest" { // parts of test programs
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

func TestNoBuiltProgramIsAmongTheFiles(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is not a checkout of git, so nothing says which files belong to the repository")
	}
	for name := range strings.SplitSeq(string(list), "\x00") {
		if info, err := os.Stat(name); err == nil && info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes: is it a program that was built?", name, info.Size())
		}
	}
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

// The reason of a skipped test must be understandable without reading the test: an error of the
// system, or a name, is not enough.
func TestASkippedTestGivesItsReasonInWords(t *testing.T) {
	bare := regexp.MustCompile(`\.(Skip\([^"\n]*\)|SkipNow\(\))`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, found := range bare.FindAllString(string(b), -1) {
			if found != ".Skip(s.Missing)" { // a sentence of internal/shelltest
				t.Errorf("%s has %s: say what is missing, and what the test cannot show without it", path, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// opensFiles are the files that open others directly, and why; all other code uses internal/files,
// so that a pipe, a device or a large file does not block it.
var opensFiles = map[string]string{
	"internal/cli/serving/cireport.go":  "for writing, in a folder that the operator names",
	"cmd/mcp-bash/call.go":              "also pipes: the user names them",
	"internal/cli/serving/record.go":    "for writing, a recording that the operator names",
	"internal/httpd/auth/tokens.go":     "also pipes: the operator names them",
	"cmd/mcp-http/audit.go":             "for writing, an audit that the operator names",
	"cmd/mcp-bash/trace.go":             "for writing, a trace that the operator names",
	"internal/cage/cage_linux.go":       "folders, which the kernel is given",
	"internal/cli/bundle/open.go":       "in an archive",
	"internal/cli/clients/lock_unix.go": "a folder, to lock it",
	"internal/cli/scaffold/write.go":    "for writing, the user's own",
	"internal/cli/watch/find_linux.go":  "/proc",
	"internal/jq/compile.go":            "as jq does, also pipes: the user names them",
	"internal/jq/inputs.go":             "as jq does, also pipes: the user names them",
	"internal/run/execute.go":           "not a file",
	"internal/run/stream_unix.go":       "its own pipe",
	"internal/run/stream_windows.go":    "its own file",
	"internal/process/cgroup_linux.go":  "cgroups, in a folder that the operator names",
	"internal/process/limits_linux.go":  "/proc",
	"internal/process/proc_linux.go":    "/proc",
	"internal/process/streams.go":       "the null device",
	"internal/sdk/byhand.go":            "for writing, what the tool was given",
	"internal/sdk/pipes_unix.go":        "its own pipes",
	"internal/statedir/statedir.go":     "folders, and locks that it has looked at",
	"providers/folder.go":               "folders",
}

// replacesFiles are the files that write over others directly, and why; all other code uses
// internal/files, so that nobody reads half a file, also after a crash.
var replacesFiles = map[string]string{
	"internal/cli/serving/cireport.go":   "a folder of its own",
	"internal/cli/serving/record.go":     "a full recording gets another name",
	"cmd/mcp-bash/recorded.go":           "tests",
	"cmd/mcp-bash/temp.go":               "to see whether a folder can be written",
	"internal/cli/doctor/runtime.go":     "a folder of its own",
	"internal/cli/doctor/sandbox.go":     "a folder of its own",
	"internal/run/folder.go":             "renames a folder",
	"internal/fswatch/fswatch.go":        "a file of its own, renamed to be told of it",
	"internal/process/cgroup_linux.go":   "cgroups",
	"internal/process/guardend_linux.go": "/proc",
	"internal/process/system_other.go":   "a file without a name",
	"internal/sdk/install.go":            "a folder of its own",
	"internal/jq/links.go":               "a second name for a program, in a folder of its own",
	"internal/statedir/lock_unix.go":     "a lock has its name when it is locked",
	"server/home.go":                     "a folder of its own",
}

func TestFilesOfOthersAreOpenedInOnePlace(t *testing.T) {
	calledOutside(t, opensFiles, []string{"Open", "OpenFile", "ReadFile"})
}

func TestFilesAreReplacedInOnePlace(t *testing.T) {
	calledOutside(t, replacesFiles, []string{"Create", "CreateTemp", "Link", "Rename", "Truncate", "WriteFile"})
}

// calledOutside reports files that call functions of a name that open or write a file, in package
// os, as methods of os.Root or as system calls, without being listed; and files that are listed but
// do not.
func calledOutside(t *testing.T, listed map[string]string, names []string) {
	t.Helper()
	packages := []string{"os", "syscall", "unix"}
	all, withRoots := files(t), make(map[string]bool)
	for _, f := range all {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if ok && s.Sel.Name == "OpenRoot" || ok && s.Sel.Name == "Root" && fmt.Sprint(s.X) == "os" {
				withRoots[f.dir] = true
			}
			return true
		})
	}
	seen := make(map[string]bool)
	for _, f := range all {
		if f.dir == "internal/files" || strings.HasPrefix(f.dir, "examples") || f.dir == "e2e/rig" || strings.HasSuffix(f.dir, "test") {
			continue // the last two are parts of tests
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(names, s.Sel.Name) {
				return true
			}
			of, isName := s.X.(*ast.Ident)
			isPackage := isName && slices.ContainsFunc(f.tree.Imports, func(i *ast.ImportSpec) bool { return path.Base(strings.Trim(i.Path.Value, `"`)) == of.Name })
			if isPackage && !slices.Contains(packages, of.Name) || !isPackage && !withRoots[f.dir] {
				return true
			}
			seen[f.path] = true
			if listed[f.path] == "" {
				t.Errorf("%s calls %s.%s: use internal/files", f.path, fmt.Sprint(s.X), s.Sel.Name)
			}
			return true
		})
	}
	for path := range listed {
		if !seen[path] {
			t.Errorf("%s is listed in house_test.go as one that opens or writes files by itself, but does not", path)
		}
	}
}

// heavy are packages of the standard library that make a program much larger, and what does their
// work at less cost. text/template calls methods by their names, so if a program uses it the linker
// keeps all methods of all types: a fifth of the binary.
var heavy = map[string]string{
	"debug/buildinfo": "look for the lines that go version -m prints",
	"encoding/xml":    "write the text",
	"go/format":       "write formatted text, and test that it is",
	"go/parser":       "look for what you need in formatted text",
	"html/template":   "fill in texts with strings.NewReplacer",
	"text/template":   "fill in texts with strings.NewReplacer",
}

func TestNothingImportsHeavyPackages(t *testing.T) {
	for _, f := range files(t) {
		for _, i := range f.tree.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if instead, is := heavy[path]; is {
				t.Errorf("%s imports %s, which makes the program much larger; %s", f.path, path, instead)
			}
		}
	}
}

// inCluster reports whether a package is one of those that use NATS.
func inCluster(dir string) bool {
	return dir == "internal/natscluster" || strings.HasPrefix(dir, "internal/natscluster/")
}

func TestOnlyMcpHTTPHasNATSInIt(t *testing.T) {
	seen := 0
	for _, f := range files(t) {
		for _, i := range f.tree.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			ours, _ := strings.CutPrefix(path, module)
			switch {
			case strings.HasPrefix(path, "github.com/nats-io/"):
				seen++
				if !inCluster(f.dir) {
					t.Errorf("%s imports %s; use a handlers.Cluster or handlers.Runner", f.path, path)
				}
			case inCluster(ours) && f.dir != "cmd/mcp-http":
				t.Errorf("%s imports %s, which only cmd/mcp-http may", f.path, path)
			}
		}
	}
	if seen == 0 {
		t.Error("found nothing that imports NATS")
	}
}
