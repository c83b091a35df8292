package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// The blocks of documents that are marked console are run in a copy of the
// repository, in the folder of the document, with mcp-bash in the PATH:
//
//	```console
//	$ command
//	> its next line
//	its output on stdout and stderr
//	```
//
// Blocks that are marked sh run are commands alone, which print nothing, so that
// all of a block can be pasted. All blocks of a document are one session of bash,
// from the top. A line "..." matches any number of lines, and "..." within a line
// any text in it.
func TestTheCommandsOfDocumentsPrintWhatTheyShow(t *testing.T) {
	documents, err := filepath.Glob("../examples/*/README.md")
	if err != nil || len(documents) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	for _, path := range append(documents, consoles(t)...) {
		name, err := filepath.Rel("..", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			document, err := os.ReadFile(path)
			is.NoErr(err)
			steps, err := consoleSteps(string(document))
			is.NoErr(err)           // blocks are readable
			is.True(len(steps) > 0) // there is one
			repository, err := copyFor(t, filepath.ToSlash(name), steps)
			is.NoErr(err)
			ctx, cancel := context.WithTimeout(t.Context(), 5*rig.Patience) // some compile
			defer cancel()
			got, err := runSteps(ctx, filepath.Join(repository, filepath.Dir(name)), steps, watched(t)...)
			is.NoErr(err) // bash ran to the end
			for i, step := range steps {
				if !step.shows(got[i]) {
					t.Errorf("%s:%d: $ %s\nprints\n%s\nand should print\n%s", name, step.line, step.command, got[i], step.output)
				}
			}
		})
	}
}

// consoles returns the documents with console blocks, except those of the examples.
func consoles(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"../*.md", "../llms.txt", "../docs/*.md", "../examples/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "\n```console\n") {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) < 5 {
		t.Fatalf("found only %v", paths)
	}
	return paths
}

func TestEveryExampleIsExplained(t *testing.T) {
	examples, err := os.ReadDir("../examples")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	for _, example := range examples {
		if !example.IsDir() {
			continue
		}
		if _, err := os.Stat(filepath.Join("../examples", example.Name(), "README.md")); err != nil {
			t.Error(err)
		}
	}
}

func TestADocumentThatShowsSomethingElseIsFound(t *testing.T) {
	is := is.New(t)
	steps, err := consoleSteps("# Title\n```bash\n$ not this\n```\n```console\n$ printf 'a\\nb\\nc 5 d\\n' |\n>   cat\na\n...\nc ... d\n$ cd /\n$ pwd\n/\n```\n")
	is.NoErr(err)
	is.Equal(len(steps), 3)
	got, err := runSteps(patient(t), t.TempDir(), steps)
	is.NoErr(err)
	is.Equal(got[0], "a\nb\nc 5 d\n") // the command has two lines
	is.True(steps[0].shows(got[0]))   // with wild cards
	is.True(steps[1].shows(got[1]))   // nothing
	is.True(steps[2].shows(got[2]))   // one session: the folder is still the same
	is.True(!steps[0].shows("a\nb\nc 5 e\n"))
	is.True(!steps[0].shows("a\nb\nc 5 d\nmore\n"))
	is.True(!steps[1].shows("something\n"))

	pasted, err := consoleSteps("```console\n$ cat >f <<'EOF'\n> quoted\n$ 5\nEOF\n$ cat f\n> quoted\n```\n")
	is.NoErr(err)
	is.Equal(pasted[0].command, "cat >f <<'EOF'\n> quoted\n$ 5\nEOF") // as it is pasted
	is.Equal(len(pasted), 2)
	pasted, err = consoleSteps("```sh run\nmkdir a\ncat >f <<'EOF'\n$ 5\nEOF\n```\n")
	is.NoErr(err)
	is.Equal(pasted[0].command, "mkdir a\ncat >f <<'EOF'\n$ 5\nEOF\n") // a block without prompts is one
	is.Equal(len(pasted), 1)
	_, err = consoleSteps("```console\n$ cat <<EOF\nnever\n```\n")
	is.Equal(err.Error(), "line 4: the here-document has no line EOF")

	_, err = consoleSteps("```console\nno command\n```\n")
	is.Equal(err.Error(), "line 2: a console block begins with a command, as in: $ mcp-bash version")
	_, err = runSteps(patient(t), t.TempDir(), []step{{command: "echo once; exit 1"}, {command: "true"}})
	is.True(err != nil) // a document that ends the shell hides what follows
}

// A step is a command of a document and its expected output.
type step struct {
	line    int // of the document, from 1
	command string
	output  string
}

// hereDocument matches a command with a here-document, whose last line it captures.
var hereDocument = regexp.MustCompile(`<<'?(\w+)`)

// consoleSteps reads the blocks of a document.
func consoleSteps(document string) ([]step, error) {
	var steps []step
	inside, begun := false, false // in a block; a command of it was read
	pasted := false               // in a block of commands alone
	end := ""                     // of the here-document that the command has, until it is read
	for i, line := range strings.Split(document, "\n") {
		switch last := len(steps) - 1; {
		case pasted && line == "```":
			pasted = false
		case pasted:
			steps[last].command += line + "\n"
		case !inside && line == "```sh run":
			pasted, steps = true, append(steps, step{line: i + 2})
		case !inside:
			inside, begun, end = line == "```console", false, ""
		case line == "```" && end != "":
			return nil, fmt.Errorf("line %d: the here-document has no line %s", i+1, end)
		case line == "```":
			inside = false
		case end != "": // without a prompt, so that it can be pasted
			steps[last].command += "\n" + line
			if line == end {
				end = ""
			}
		case strings.HasPrefix(line, "$ "):
			steps, begun = append(steps, step{line: i + 1, command: line[2:]}), true
			if m := hereDocument.FindStringSubmatch(line); m != nil {
				end = m[1]
			}
		case !begun:
			return nil, fmt.Errorf("line %d: a console block begins with a command, as in: $ mcp-bash version", i+1)
		case strings.HasPrefix(line, "> ") && steps[last].output == "":
			steps[last].command += "\n" + line[2:]
		default:
			steps[last].output += line + "\n"
		}
	}
	if inside || pasted {
		return nil, fmt.Errorf("the last console block has no end")
	}
	return steps, nil
}

// logged matches lines of the server's log for its start, its end and each call. Documents
// leave out those that they do not explain, as README.md notes.
var logged = map[string]*regexp.Regexp{
	"msg=serving": regexp.MustCompile(`(?m)^time=\S+ level=\w+ msg=serving .*\n`),
	"msg=call":    regexp.MustCompile(`(?m)^time=\S+ level=\w+ msg=call .*\n`),
	"msg=ended":   regexp.MustCompile(`(?m)^time=\S+ level=\w+ msg=ended .*\n`),
}

// shows reports whether got matches the output in the document.
func (s step) shows(got string) bool {
	for message, line := range logged {
		if !strings.Contains(s.output, message) {
			got = line.ReplaceAllString(got, "")
		}
	}
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	var pattern strings.Builder
	for line := range strings.Lines(s.output) {
		if line == "...\n" {
			pattern.WriteString(`(.*\n)*`)
		} else {
			pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`))
		}
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(got)
}

// runSteps runs the commands of a document in a folder and returns the output of
// each. Variables are added to the environment.
func runSteps(ctx context.Context, folder string, steps []step, variables ...string) ([]string, error) {
	const end = "\x1e end of the command \x1e\n"
	script := "exec </dev/null 2>&1\nmkdir -p \"$HOME\"\n"
	for _, s := range steps {
		script += s.command + "\nprintf '" + strings.TrimSuffix(end, "\n") + "\\n'\n"
	}
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Dir = folder
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MCP") })
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"CGO_ENABLED=0", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -vet=off "+rig.Flags)) // as vet has seen all
	cmd.Env = append(cmd.Env, variables...)
	cmd.Env = withHome(cmd.Env, folder)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // for what a command left behind
	err := cmd.Run()
	printed := strings.Split(out.String(), end)
	if len(printed) != len(steps)+1 {
		return nil, fmt.Errorf("%d of %d commands came to an end (%v):\n%s", len(printed)-1, len(steps), err, out.String())
	}
	return printed, nil
}

// withHome returns an environment with an empty home directory beside a document's
// folder, but with the existing caches of Go.
func withHome(env []string, folder string) []string {
	home := filepath.Join(folder, ".home")
	return append(append(env, goCaches()...), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"))
}

// goCaches returns the variables that name the caches of Go; nothing if Go is not installed.
var goCaches = sync.OnceValue(func() (variables []string) {
	names := []string{"GOPATH", "GOMODCACHE", "GOCACHE"}
	values, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil
	}
	for i, value := range strings.Split(strings.TrimSpace(string(values)), "\n") {
		variables = append(variables, names[i]+"="+strings.TrimSpace(value))
	}
	return variables
})

// copyFor returns a copy of the repository for the commands of a document: without the code, unless commands need it,
// and then without the other examples too, if the document is of one. Documents that only compile the code share a
// copy; a file system takes seconds for so many files.
func copyFor(t *testing.T, document string, steps []step) (string, error) {
	switch {
	case slices.ContainsFunc(steps, step.patches):
		return copied(t.TempDir(), isNoCode)
	case slices.ContainsFunc(steps, step.compiles):
		return code()
	}
	parts := strings.Split(document, "/")
	ofExample := len(parts) == 3 && parts[0] == "examples"
	return copied(t.TempDir(), func(name string, folder bool) bool {
		at := strings.Split(name, "/")
		if ofExample {
			return folder && (at[0] != "examples" || len(at) > 1 && at[1] != parts[1])
		}
		return folder && slices.Contains(rooms, at[0])
	})
}

// code returns a copy of the repository with its code, made once and removed with the program.
var code = sync.OnceValues(func() (string, error) {
	return copied(filepath.Join(filepath.Dir(binary), "code"), isNoCode)
})

// rooms are the folders with code.
var rooms = []string{
	"bench", "cmd", "e2e", "handlers", "internal", "mcp", "middleware", "pipeline", "providers", "server",
}

// isNoCode reports whether the commands of a document that compile do without a file or folder.
func isNoCode(name string, _ bool) bool {
	return name == "bench" || name == "e2e" || path.Base(name) == "testdata" ||
		strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "examples/")
}

// compiles reports whether a command needs the code of this repository.
func (s step) compiles() bool { return compiles.MatchString(s.command) }

// patches reports whether a command changes the code of this repository.
func (s step) patches() bool { return strings.HasPrefix(s.command, "patch ") }

var compiles = regexp.MustCompile(`\b(go|just)\b `)

// copied copies the files of the repository into a folder, which it returns, except what is left out.
func copied(to string, leftOut func(name string, folder bool) bool) (string, error) {
	return to, repository(leftOut, func(name string, info fs.FileInfo) error {
		content, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			return err
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		syscall.ForkLock.RLock() // as in rig.WriteProgram
		defer syscall.ForkLock.RUnlock()
		return os.WriteFile(path, content, info.Mode().Perm())
	})
}

// repository calls visit for the files of the repository, except those and in folders that are left out.
func repository(leftOut func(name string, folder bool) bool, visit func(name string, info fs.FileInfo) error) error {
	return filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel("..", path)
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case d.IsDir() && (name == ".git" || name == "bin" || name == "dist" || leftOut(filepath.ToSlash(name), true)):
			return filepath.SkipDir
		case !d.Type().IsRegular() || name == ".git" || leftOut(filepath.ToSlash(name), false): // a file in a worktree
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return visit(name, info)
	})
}
