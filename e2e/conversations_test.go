package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/examples"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/pipeline/pipetest"
)

// Conversations are in the folder replay/ of their project, in the format of
// pipetest.Replay. They are played to the binary, so "the server has gone quiet" means:
// it has answered the calls of the block, except those that were cancelled in it, and a
// ping that follows them.
func TestRecordedConversations(t *testing.T) {
	for _, pattern := range []string{"testdata/*", "../examples/*"} {
		conversations, err := filepath.Glob(pattern + "/replay/*.client.ndjson")
		if err != nil || len(conversations) == 0 {
			t.Errorf("no conversations in %s/replay (%v)", pattern, err)
		}
		for _, path := range conversations {
			project := filepath.Dir(filepath.Dir(path))
			name := strings.TrimSuffix(path, ".client.ndjson")
			t.Run(filepath.Base(project)+"/"+filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				replay(t, name, project, replayEnvironment(t, project)...)
			})
		}
	}
}

// replayEnvironment returns the variables for a project's conversations: the lines of replay/env.
func replayEnvironment(t *testing.T, project string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(project, "replay", "env"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func TestEveryExampleProjectHasAConversation(t *testing.T) {
	projects, err := filepath.Glob("../examples/*/tools")
	if err != nil || len(projects) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	for _, tools := range projects {
		conversations, _ := filepath.Glob(filepath.Dir(tools) + "/replay/*.client.ndjson")
		if len(conversations) == 0 {
			t.Errorf("%s has none in replay/", filepath.Dir(tools))
		}
	}
}

// What is printed after "next:" is typed as it is, in whatever folder the copy is.
func TestTheCommandsPrintedForACopyOfAnExampleSucceed(t *testing.T) {
	for _, e := range examples.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			if runtime.GOOS == "windows" && slices.Contains(asksItsClient, e.Name) {
				t.Skip("scripts on Windows have no channel by which they could ask their client")
			}
			folder := t.TempDir()
			cmd := command(t, "example", e.Name, "another name")
			cmd.Dir = folder
			printed, err := cmd.Output()
			is.NoErr(err)
			_, next, found := strings.Cut(string(printed), "\nnext:\n")
			is.True(found) // a command to type
			if conversations, _ := filepath.Glob(filepath.Join(folder, "another name", "replay", "*.client.ndjson")); conversations != nil {
				is.True(strings.Contains(next, "mcp-bash replay ")) // of one of them
			}
			shell := exec.CommandContext(patient(t), "bash", "-e", "-c", next)
			shell.Dir = folder
			shell.Env = append(bare(), "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			if out, err := shell.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s%s", err, next, out)
			}
		})
	}
}

// asksItsClient are examples whose tools ask the client through the SDK's channel.
var asksItsClient = []string{"25-elicitation", "26-sampling", "27-config-and-downloads"}

// replay plays a conversation to a server that is started in a copy of the
// project's folder, which its tools may write to, with further variables.
func replay(t *testing.T, name, project string, variables ...string) {
	is := is.New(t)
	if runtime.GOOS == "windows" && slices.Contains(asksItsClient, filepath.Base(project)) {
		t.Skip("scripts on Windows have no channel by which they could ask their client")
	}
	said, err := os.ReadFile(name + ".client.ndjson")
	is.NoErr(err) // the conversation is readable
	cmd := command(t, "serve")
	cmd.Env = append(cmd.Env, variables...)
	cmd.Dir = filepath.Join(t.TempDir(), filepath.Base(project)) // the server takes its name from it
	rig.CopyPrograms(t, cmd.Dir, project)
	rig.Settle(t)
	settings, _ := os.ReadFile(filepath.Join(project, "server.d", "env.sh")) // most have none
	c := conversation{server: start(t, cmd), arrays: strings.Contains(string(settings), "MCPBASH_COMPAT_BATCHES=true")}
	var got []string
	for _, block := range pipetest.Blocks(string(said)) {
		got = append(got, c.exchange(block))
	}
	c.in.Close()
	if late := c.rest(); len(late) > 0 {
		got = append(got, sorted(late))
	}
	got = warningsLast(got)
	is.Equal(c.wait(), 0) // the server ends without a fault
	pipetest.Compare(t, name+".server.ndjson", got)
}

// warningsLast moves the server's warnings about the project into a separate block at the
// end, as they come asynchronously, when the files have been checked.
func warningsLast(blocks []string) []string {
	var warnings []string
	for i, block := range blocks {
		var rest []string
		for line := range strings.Lines(block) {
			if strings.Contains(line, `"logger":"mcp-bash.project"`) {
				warnings = append(warnings, strings.TrimSuffix(line, "\n"))
			} else {
				rest = append(rest, line)
			}
		}
		blocks[i] = strings.Join(rest, "")
	}
	if len(warnings) > 0 {
		blocks = append(blocks, sorted(warnings))
	}
	return blocks
}

// A conversation is the conversation of a client with a server.
type conversation struct {
	*server
	arrays   bool            // are accepted in every revision
	revision string          // the one that the client has requested last
	waiting  map[string]bool // ids of calls that wait for the client's answer to the server
}

// quiet is the id of the ping after a block, which is not part of the conversation.
const quiet = `"is the server quiet?"`

// exchange sends a block and returns what the server wrote until it was quiet.
func (c *conversation) exchange(block []string) string {
	c.send(block...)
	c.send(`{"jsonrpc":"2.0","id":` + quiet + `,"method":"ping"}`)
	open := c.open(block)
	maps.Copy(open, c.waiting)
	c.waiting = nil
	open[quiet] = true
	var lines []string
	for len(open) > 0 {
		line, ok := c.recv(fmt.Sprintf("the answers to %v", slices.Sorted(maps.Keys(open))))
		if !ok {
			break
		}
		id := answered(line)
		delete(open, id)
		if callsClient(line) { // the client's answer is in its next block
			c.waiting = maps.Clone(open)
			delete(c.waiting, quiet)
			maps.DeleteFunc(open, func(id string, _ bool) bool { return id != quiet })
		}
		if id != quiet {
			lines = append(lines, cursor.ReplaceAllString(line, `"nextCursor":"(opaque)"`))
		}
	}
	return sorted(lines)
}

// cursor matches the cursor of a page, which contains the time.
var cursor = regexp.MustCompile(`"nextCursor":"[^"]*"`)

// halfPairs accepts half of a surrogate pair, as in "\ud83d".
var halfPairs = json.AllowInvalidUTF8(true)

// A message has the members of a line that are needed to find its answer.
type message struct {
	ID     json.Value `json:"id"`
	Method string     `json:"method"`
	Params json.Value `json:"params"`
}

// open returns the ids in a block that will be answered. Invalid lines are answered
// at once or never, so the ping covers them.
func (c *conversation) open(block []string) map[string]bool {
	ids := make(map[string]bool)
	for _, line := range block {
		for _, m := range c.messages(line) {
			var p struct {
				ProtocolVersion string     `json:"protocolVersion"`
				RequestID       json.Value `json:"requestId"`
			}
			json.Unmarshal(m.Params, &p)
			switch {
			case m.Method == "notifications/cancelled":
				delete(ids, string(p.RequestID))
			case m.Method != "" && (m.ID.Kind() == '"' || m.ID.Kind() == '0'):
				ids[string(m.ID)] = true
			}
			if m.Method == "initialize" {
				c.revision = p.ProtocolVersion
			}
		}
	}
	return ids
}

// messages returns the message of a line, or several if the revision has arrays.
func (c *conversation) messages(line string) []message {
	if !utf8.ValidString(line) {
		return nil
	}
	text := []byte(strings.Trim(line, "\ufeff \t\r"))
	var one message
	if json.Unmarshal(text, &one, halfPairs) == nil {
		return []message{one}
	}
	var several []message
	if (c.arrays || c.revision == "2025-03-26") && json.Unmarshal(text, &several) == nil {
		return several
	}
	return nil
}

// answered returns the id that a line of the server answers, "" for none.
func answered(line string) string {
	var m message
	if json.Unmarshal([]byte(line), &m, halfPairs) != nil || m.Method != "" {
		return ""
	}
	return string(m.ID)
}

// callsClient reports whether a line of the server is a call of the client.
func callsClient(line string) bool {
	var m message
	return json.Unmarshal([]byte(line), &m, halfPairs) == nil && m.Method != "" && m.ID != nil
}

// sorted joins lines in an order that does not depend on timing.
func sorted(lines []string) string {
	slices.Sort(lines)
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}
