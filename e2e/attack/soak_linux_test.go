//go:build attack

package attack

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

var calls = flag.Int("calls", 500, "calls of a soak")

// A usage is the resources that a server holds.
type usage struct{ descriptors, memory, processes, files, threads int }

func (u usage) String() string {
	return fmt.Sprintf("%11d %11d %11d %11d %11d", u.descriptors, u.memory, u.processes, u.files, u.threads)
}

// usage measures an idle server. Descriptors that the system hides from the test count as -1.
func (s *server) usage(state string) usage {
	s.t.Helper()
	proc := fmt.Sprintf("/proc/%d/", s.cmd.Process.Pid)
	u := usage{descriptors: -1, processes: len(s.tools())}
	if descriptors, err := os.ReadDir(proc + "fd"); err == nil {
		u.descriptors = len(descriptors)
	}
	threads, err := os.ReadDir(proc + "task")
	must(s.t, err)
	u.threads = len(threads)
	status, err := os.ReadFile(proc + "statm")
	must(s.t, err)
	var pages int
	fmt.Sscan(strings.Fields(string(status))[1], &pages)
	u.memory = pages * os.Getpagesize() >> 20
	must(s.t, filepath.WalkDir(state, func(_ string, _ fs.DirEntry, err error) error {
		u.files++
		if errors.Is(err, fs.ErrPermission) {
			return nil // the folder of calls, which an ordinary user cannot list
		}
		return err
	}))
	return u
}

// soak repeats all kinds of requests: calls that succeed, fail and are cancelled, in sessions of
// both eras, garbage between them, and changes of the project.
func (s *server) soak(root string, from, n int) {
	s.t.Helper()
	const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	const most = 16 // concurrent calls
	waiting := make([]string, 0, most)
	collect := func() {
		for _, id := range waiting {
			s.expect(id, `"result":|"error":`)
		}
		waiting = waiting[:0]
	}
	for i := from; i < from+n; i++ {
		id := fmt.Sprint(i)
		switch i % 10 {
		case 0:
			s.call(id, "long", "")
			s.cancel(id) // so it gets no answer
		case 1:
			s.call(id, "fails", "")
		case 2:
			s.call(id, "asks", `{"a":"`+strings.Repeat("x", 2000)+`"}`)
		case 3:
			s.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"honest",` + stateless + `}}`)
		case 4:
			s.send(`{"jsonrpc":"2.0","id":`+id+`,"method":"resources/read","params":{"uri":"file://`+root+`/resources/a.txt"}}`, "garbage \xff")
		default:
			s.call(id, "honest", "")
		}
		if i%10 != 0 {
			waiting = append(waiting, id)
		}
		if len(waiting) == most {
			collect()
			s.pings()
		}
		if i%100 == 50 {
			collect()
			write(s.t, root, "tools/new.sh", "#!/bin/sh\necho "+id+"\n")
			write(s.t, root, "resources/a.txt", id)
			s.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
			s.expect(`"list"`, `"result":`)
		}
	}
	collect()
	s.forget()
}

// forget drops messages that are not answers, such as notifications.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.answers)
}

// settled waits until a server is idle, and returns its usage.
func (s *server) settled(state string) usage {
	s.t.Helper()
	s.works()
	waittest.Until(s.t, "all calls have ended", func() bool { return len(s.tools()) == 0 })
	s.pings()
	return s.usage(state)
}

func TestSoakingLeavesNothingBehind(t *testing.T) {
	state := t.TempDir()
	root := project(t, map[string]string{
		"tools/long.sh": "#!/bin/sh\nexec sleep 300\n", "tools/fails.sh": "#!/bin/sh\necho no >&2\nexit 3\n", "resources/a.txt": "a",
		"tools/asks.sh": "#!/usr/bin/env bash\n. \"$MCP_SDK/tool-sdk.sh\"\nmcp_args_get .a >/dev/null && mcp_progress 50 half && echo asked\n",
	})
	s := start(t, root, with("MCPBASH_STATE_DIR="+state, "MCPBASH_LOG_CALLS=false"))
	s.soak(root, 0, 200) // resources that are allocated once
	before := s.settled(state)
	s.soak(root, 1000, *calls)
	after := s.settled(state)
	t.Logf("%d calls\n        descriptors MiB         processes   files       threads\nbefore  %v\nafter   %v", *calls, before, after)
	// A folder with its pipe and goroutines is kept for each script that ran at the same time.
	const slots = 16
	if after.descriptors > before.descriptors+2*slots || after.processes > before.processes || after.files > before.files+slots ||
		after.threads > before.threads+16 || after.memory > before.memory+40 {
		t.Error("something is left behind")
	}
	s.ends(150)
}
