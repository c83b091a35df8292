package pipetest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// Update is the flag -update: it rewrites the server's side of recorded conversations.
var Update = flag.Bool("update", false, "rewrite what recorded conversations expect")

// Replay plays every recorded conversation of a folder in fake time. A conversation consists of two
// files that can also be piped by hand:
//
//	NAME.client.ndjson   what the client writes
//	NAME.server.ndjson   what the server must write
//
// A blank line means "wait here": when a block of the client's has been sent
// and the server has gone quiet, it must have written its block, in any order.
// Start connects a fresh server for each conversation.
func Replay(t *testing.T, dir string, start func(testing.TB) *Client) {
	t.Helper()
	conversations, err := filepath.Glob(filepath.Join(dir, "*.client.ndjson"))
	if err != nil || len(conversations) == 0 {
		t.Fatalf("no conversations in %s (%v)", dir, err)
	}
	for _, path := range conversations {
		name := strings.TrimSuffix(path, ".client.ndjson")
		t.Run(filepath.Base(name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { replay(t, name, start(t)) })
		})
	}
}

func replay(t *testing.T, name string, c *Client) {
	said, err := os.ReadFile(name + ".client.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, block := range Blocks(string(said)) {
		c.Send(block...)
		synctest.Wait()
		got = append(got, sorted(c.Written()))
	}
	if err := c.Close(); err != nil {
		t.Errorf("the server ended with: %v", err)
	}
	if rest := c.Written(); len(rest) > 0 {
		got = append(got, sorted(rest))
	}
	Compare(t, name+".server.ndjson", got)
}

// Compare compares the blocks that a server wrote with a recorded file, or rewrites the file under
// -update.
func Compare(t testing.TB, path string, got []string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to record it)", err)
	}
	var want []string
	for _, block := range Blocks(string(recorded)) {
		want = append(want, sorted(block))
	}
	for i := range max(len(got), len(want)) {
		g, w := at(got, i), at(want, i)
		if g != w {
			t.Errorf("%s, block %d:\ngot\n%s\nwant\n%s", path, i+1, g, w)
		}
	}
}

// Blocks splits a recorded conversation: a blank line ends a block, so there is an empty block
// between two blank lines in a row.
func Blocks(text string) [][]string {
	blocks := [][]string{nil}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line == "" {
			blocks = append(blocks, nil)
		} else {
			last := len(blocks) - 1
			blocks[last] = append(blocks[last], line)
		}
	}
	return blocks
}

// sorted joins lines in an order that does not depend on timing.
func sorted(lines []string) string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func at(blocks []string, i int) string {
	if i < len(blocks) {
		return blocks[i]
	}
	return ""
}
