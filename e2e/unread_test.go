package e2e

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// talkative is a tool that writes more to stderr than a pipe buffers.
const talkative = "#!/usr/bin/env bash\nhead -c 3000000 /dev/zero | tr '\\0' '\\n' >&2\necho done\n"

// startUnread starts a server with much output on a stderr that is not read.
func startUnread(t *testing.T, args ...string) (s *server, stderr *os.File) {
	t.Helper()
	root := t.TempDir()
	rig.WriteProgram(t, filepath.Join(root, "tools", "talkative", "tool.sh"), talkative, 0o755)
	stderr, into, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stderr.Close() })
	cmd := command(t, append(args, "-C", root)...)
	cmd.Env = append(cmd.Env, "MCPBASH_TOOL_STREAM_STDERR=true", "MCPBASH_LOG_LEVEL=debug")
	cmd.Stderr = into
	s = start(t, cmd)
	into.Close()
	s.send(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"talkative"}}`,
	)
	for {
		line, ok := s.recv("the answer of the tool")
		if !ok {
			t.Fatal("the server ended without it")
		}
		if strings.HasPrefix(line, `{"jsonrpc":"2.0","id":2,"result":`) {
			return s, stderr
		}
	}
}

func TestAStderrThatNobodyReadsHoldsNobodyUp(t *testing.T) {
	for name, end := range map[string]func(*server) error{
		"the end of input": func(s *server) error { return s.in.Close() },
		"a signal":         func(s *server) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			s, _ := startUnread(t, "serve", "--middleware-trace")
			is.NoErr(end(s))
			begun := time.Now()
			s.rest()
			is.Equal(s.wait(), 0)
			is.True(time.Since(begun) < rig.Patience/2) // it ended by itself
		})
	}
}

func TestWhatALateReaderOfStderrMissedIsCounted(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s, stderr := startUnread(t, "serve")
	said := make(chan string)
	go func() {
		all, _ := io.ReadAll(stderr)
		said <- string(all)
	}()
	is.NoErr(s.in.Close())
	s.rest()
	is.Equal(s.wait(), 0)
	is.True(strings.Contains(<-said, " lines for stderr were dropped: nobody read it\n"))
}
