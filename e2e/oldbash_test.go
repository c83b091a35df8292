package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

// oldBash returns a PATH with the bash version of macOS, and skips the test if it is not available.
func oldBash(t *testing.T) string {
	t.Helper()
	for _, s := range shelltest.Shells() {
		if s.Name != "3.2" {
			continue
		}
		if s.Command == nil {
			t.Skip(s.Missing)
		}
		return "PATH=" + filepath.Dir(s.Command[0]) + string(os.PathListSeparator) + os.Getenv("PATH")
	}
	t.Fatal("the table of shells has no bash 3.2")
	return ""
}

func TestTheExamplesSayTheSameWithTheBashOfMacOS(t *testing.T) {
	t.Parallel()
	path := oldBash(t)
	conversations, err := filepath.Glob("../examples/*/replay/*.client.ndjson")
	if err != nil || len(conversations) == 0 {
		t.Fatalf("no conversations (%v)", err)
	}
	for _, file := range conversations {
		project := filepath.Dir(filepath.Dir(file))
		name := strings.TrimSuffix(file, ".client.ndjson")
		t.Run(filepath.Base(project)+"/"+filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			replay(t, name, project, append(replayEnvironment(t, project), path)...)
		})
	}
}

// Files that scaffold creates work at once, with the bash of macOS too.
func TestWhatScaffoldMakesRunsWithTheBashOfMacOS(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	path := oldBash(t)
	where := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = where, append(bare(), path, "MCPBASH="+binary)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
		}
	}
	run(binary, "new", "made")
	where = filepath.Join(where, "made")
	for _, made := range []string{"tool words", "tool board --ui", "prompt explain",
		"completion explain --for prompt.explain --argument topic", "resource rules", "ui panel", "test"} {
		run(binary, append([]string{"scaffold"}, strings.Fields(made)...)...)
	}
	run(binary, "validate", "--strict")
	run(filepath.Join(where, "test", "run.sh")) // which runs the tests of the tools

	const version = "#!/usr/bin/env bash\necho \"$BASH_VERSION\"\n"
	rig.WriteProgram(t, filepath.Join(where, "tools", "version"), version, 0o755)
	client := connectTo(t, where, nil, path)
	is.True(strings.HasPrefix(textOf(call(t, client, "version", "")), "3.2.")) // that bash it is
	is.Equal(textOf(call(t, client, "hello", "")), "Hello, World!")
	for _, tool := range []string{"words", "board"} {
		is.Equal(textOf(call(t, client, tool, "")), `{"length":12,"text":"Hello, world"}`)
	}
	completed, err := client.Complete(patient(t), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "prompt.explain"},
		Argument: mcp.CompleteParamsArgument{Name: "topic", Value: "b"},
	})
	is.NoErr(err)
	is.Equal(strings.Join(completed.Completion.Values, " "), "bananas")
}
