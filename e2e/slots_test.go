package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// use returns a call of a tool without arguments.
func use(id, tool string) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","method":"tools/call","params":{"name":"` + tool + `"}}`
}

// hang is a tool that runs until the project has a file "go".
const hang = "#!/bin/sh\nuntil [ -e go ]; do sleep 0.05; done\n"

func TestWhatNeedsNoScriptIsAnsweredWhileEverySlotIsTaken(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/hang/tool.sh": hang})
	s := open(t, project, "2025-11-25", "{}", "MCPBASH_MAX_CONCURRENT_REQUESTS=1")
	s.send(use("1", "hang"), use("2", "hang"))
	is.True(strings.Contains(s.ask("tools/call", `{"name":"unknown"}`), "Unknown tool: unknown"))
	is.True(strings.Contains(s.ask("tools/list", `{"cursor":"nonsense"}`), "Invalid cursor"))
	is.True(strings.Contains(s.ask("tools/list", ""), `"name":"hang"`))
	is.True(strings.Contains(s.ask("resources/list", ""), `"resources":[]`))
	is.True(strings.Contains(s.ask("prompts/list", ""), `"prompts":[]`))
	write(t, filepath.Join(project, "go"), "")
	s.until("2")
}

func TestAToolThatMayRunOnceAtATimeWaitsForItselfAndForNobodyElse(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{
		"tools/alone/tool.sh":        "#!/bin/sh\nmkdir lock || exit 1\nuntil [ -e go ]; do sleep 0.05; done\nrmdir lock\n",
		"tools/alone/tool.meta.json": `{"concurrency":1}`,
		"tools/go/tool.sh":           "#!/bin/sh\ntouch go\n",
	})
	s := open(t, project, "2025-11-25", "{}", "MCPBASH_MAX_CONCURRENT_REQUESTS=2")
	s.send(use("1", "alone"), use("2", "alone"), use("3", "alone"), use("4", "alone"), use("go", "go")) // there is a slot for the last
	answered := map[string]bool{}
	for len(answered) < 5 {
		line, ok := s.recv("the answers")
		is.True(ok)
		is.True(strings.Contains(line, `"result"`) && !strings.Contains(line, `"isError":true`)) // never beside itself
		answered[line] = true
	}
}

func TestACallThatComesBeforeTheConfirmationIsServed(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	cmd := command(t, "serve", "-C", newProject(t, map[string]string{"tools/hello/tool.sh": "#!/bin/sh\necho hello\n"}))
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n" + use("2", "hello") + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	out, err := cmd.Output()
	is.NoErr(err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	is.Equal(len(lines), 2)
	is.True(strings.Contains(lines[1], "hello"))
}

func TestWhatWasReadIsAnsweredAfterExit(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{"tools/hang/tool.sh": hang})
	s := open(t, project, "2025-11-25", "{}", "MCPBASH_SHUTDOWN_TIMEOUT=1")
	s.send(use("1", "hang"), `{"jsonrpc":"2.0","id":"s","method":"shutdown"}`, `{"jsonrpc":"2.0","id":"e","method":"exit"}`)
	s.until("e")
	write(t, filepath.Join(project, "go"), "")
	lines := s.rest()
	is.True(slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, `"id":"1","result"`) && !strings.Contains(line, `"isError":true`)
	}))
	is.Equal(s.wait(), 0)
}

func TestATaskKeepsAnIdleServerAlive(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	project := newProject(t, map[string]string{
		"tools/long/tool.sh":        "#!/bin/sh\nsleep 1.5\ntouch done\n",
		"tools/long/tool.meta.json": `{"taskSupport":"required"}`,
	})
	s := alone(t, project, "MCPBASH_IDLE_TIMEOUT=0.5")
	is.Equal(s.task("tools/call", `{"name":"long"}`).Result.Status, "working")
	is.Equal(s.wait(), 0) // by itself, though its input is open
	_, err := os.Stat(filepath.Join(project, "done"))
	is.NoErr(err) // not before the task had ended
}
