//go:build attack

// Package attack tests the built binary with hostile tools, clients and projects, and checks that
// its guarantees to users hold. See .ci/attack.sh.
package attack

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

var binary = flag.String("binary", "", "the mcp-bash to attack")

// prompt is the timeout for quick operations on a busy machine.
const prompt = rig.Patience

func TestMain(m *testing.M) {
	flag.Parse()
	if *probes {
		probe(flag.Arg(0))
		return
	}
	if *binary == "" {
		fmt.Fprintln(os.Stderr, "give the program with -binary, or run just attack")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// honest is a tool that every project has: it works again after each attack.
const honest = "#!/bin/sh\necho alive\n"

// project creates a project with these files. Scripts are executable.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, "tools/honest.sh", honest)
	for name, text := range files {
		write(t, root, name, text)
	}
	return root
}

// write writes one file of a project.
func write(t testing.TB, root, name, text string) {
	t.Helper()
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	rig.WriteProgram(t, filepath.Join(root, name), text, mode)
}

// sparse creates a sparse file of the given size.
func sparse(t testing.TB, path string, size int64) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	must(t, f.Truncate(size))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// environ returns the environment of a server: variables that programs need, the mark by which
// its descendants are found, and variables of the test.
func environ(mark string, variables []string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.TempDir(), "TMPDIR=" + os.TempDir(), "MCP_ATTACK_MARK=" + mark}, variables...)
}

// tools returns the descendants of the server: all other processes with its mark in their
// environment. The server itself hides its environment from ordinary users.
func (s *server) tools() (pids []int) {
	mark := []byte("MCP_ATTACK_MARK=" + s.mark + "\x00")
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		environ, _ := os.ReadFile(dir + "/environ")
		status, _ := os.ReadFile(dir + "/status")
		if bytes.Contains(environ, mark) && !bytes.Contains(status, []byte("State:\tZ")) {
			if pid, _ := strconv.Atoi(filepath.Base(dir)); pid != s.cmd.Process.Pid {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// A server is a running binary. Its answers are kept by their ids; of long ones only the beginning.
type server struct {
	t    testing.TB
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *os.File
	log  *syncBuffer
	mark string
	next int

	mu      sync.Mutex
	answers map[string][]answer // by id; "" for notifications
	came    chan struct{}       // receives a value when output has arrived
	ended   chan struct{}       // closed at the end of the output
}

// An answer is the beginning of a line, and the line's length.
type answer struct {
	text string
	size int
}

const kept = 16 << 10

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.b.Len() < 64<<10 {
		s.b.Write(p)
	}
	return len(p), nil
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// An option changes the command of a server before it is started.
type option func(*exec.Cmd)

// with adds variables to its environment.
func with(variables ...string) option {
	return func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, variables...) }
}

// launch starts a server without reading its output.
func launch(t testing.TB, root string, options ...option) *server {
	t.Helper()
	s := &server{
		t: t, log: &syncBuffer{}, mark: fmt.Sprintf("%d.%d", os.Getpid(), time.Now().UnixNano()),
		answers: map[string][]answer{}, came: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	s.cmd = exec.Command(*binary, "serve", "-C", root)
	s.cmd.Env = environ(s.mark, nil)
	s.cmd.Stderr = s.log
	for _, o := range options {
		o(s.cmd)
	}
	var err error
	s.in, err = s.cmd.StdinPipe()
	must(t, err)
	out, into, err := os.Pipe()
	must(t, err)
	s.out, s.cmd.Stdout = out, into
	must(t, s.cmd.Start())
	into.Close()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server said on stderr:\n%s", s.log)
		}
		s.cmd.Process.Kill()
		s.cmd.Wait()
		out.Close()
		for _, pid := range s.tools() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return s
}

// opened returns the files that a server has open, as far as the system shows them.
func (s *server) opened() (names []string) {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.cmd.Process.Pid))
	for _, link := range links {
		name, _ := os.Readlink(link)
		names = append(names, name)
	}
	return names
}

// start starts a server, opens a session and reads the output.
func start(t testing.TB, root string, options ...option) *server {
	t.Helper()
	s := launch(t, root, options...)
	go s.read()
	s.open()
	return s
}

// open opens a session.
func (s *server) open() {
	s.t.Helper()
	s.send(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"attack","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.answer(`"open"`)
}

var idOf = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":("[^"]*"|[^,}]*),`)

func (s *server) read() {
	defer close(s.ended)
	r := bufio.NewReaderSize(s.out, 64<<10)
	for {
		var a answer
		var head []byte
		for {
			part, err := r.ReadSlice('\n')
			a.size += len(part)
			head = append(head, part[:min(len(part), kept-min(kept, len(head)))]...)
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
		}
		a.text = string(head)
		id := ""
		if m := idOf.FindStringSubmatch(a.text); m != nil {
			id = m[1]
		}
		s.mu.Lock()
		s.answers[id] = append(s.answers[id], a)
		s.mu.Unlock()
		select {
		case s.came <- struct{}{}:
		default:
		}
	}
}

// send writes lines. A server that has ended does not read them; tests notice the missing answers.
func (s *server) send(lines ...string) {
	for _, line := range lines {
		io.WriteString(s.in, line+"\n")
	}
}

// call sends a call of a tool. Arguments are JSON, "" for none.
func (s *server) call(id, tool, arguments string) {
	if arguments != "" {
		arguments = `,"arguments":` + arguments
	}
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q%s}}`, id, tool, arguments))
}

func (s *server) cancel(id string) {
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
}

// taken removes and returns the first answer to an id, if there is one.
func (s *server) taken(id string) (a answer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all := s.answers[id]; len(all) > 0 {
		a, s.answers[id] = all[0], all[1:]
		return a, true
	}
	return a, false
}

// answer waits for the answer to an id.
func (s *server) answer(id string) answer {
	s.t.Helper()
	return s.within(rig.Patience, id)
}

func (s *server) within(limit time.Duration, id string) answer {
	s.t.Helper()
	over := time.After(limit)
	for {
		if a, ok := s.taken(id); ok {
			return a
		}
		select {
		case <-s.came:
		case <-s.ended:
			if a, ok := s.taken(id); ok {
				return a
			}
			s.t.Fatalf("the server ended before it answered %s", id)
		case <-over:
			s.t.Fatalf("no answer to %s within %v", id, limit)
		}
	}
}

// expect waits for an answer that matches a regular expression.
func (s *server) expect(id, pattern string) {
	s.t.Helper()
	if a := s.answer(id); !regexp.MustCompile(pattern).MatchString(a.text) {
		s.t.Errorf("the answer to %s does not fit %s: %.1000s\nthe server has open: %q", id, pattern, a.text, s.opened())
	}
}

// pings checks that the server answers in the meantime.
func (s *server) pings() {
	s.t.Helper()
	s.next++
	id := fmt.Sprintf(`"ping %d"`, s.next)
	s.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
	s.within(prompt, id)
}

// works checks that the next honest call succeeds.
func (s *server) works() {
	s.t.Helper()
	s.next++
	id := fmt.Sprintf(`"honest %d"`, s.next)
	s.call(id, "honest", "")
	s.expect(id, `"text":"alive\\n"`)
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// peak returns the server's peak memory in MiB.
func (s *server) peak() int {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	must(s.t, err)
	found := highWater.FindSubmatch(status)
	if found == nil {
		s.t.Fatal("no VmHWM: the server has ended")
	}
	kb, _ := strconv.Atoi(string(found[1]))
	return kb >> 10
}

// ends checks that the server works, has stayed within the memory (MiB), and exits at the end of
// its input with exit code 0 and without leaving files or processes behind.
func (s *server) ends(memory int) {
	s.t.Helper()
	s.pings()
	s.works()
	s.leaves(memory)
}

// leaves is like ends, without another call.
func (s *server) leaves(memory int) {
	s.t.Helper()
	if most := s.peak(); most > memory {
		s.t.Errorf("the server took %d MiB, more than %d", most, memory)
	}
	s.in.Close()
	if code := s.wait(); code != 0 {
		s.t.Errorf("exit code %d", code)
	}
	s.survivors()
}

// wait waits until a server exits by itself.
func (s *server) wait() int {
	s.t.Helper()
	over := make(chan error, 1)
	go func() { over <- s.cmd.Wait() }()
	select {
	case <-over:
	case <-time.After(rig.Patience):
		s.t.Fatal("the server does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

// survivors waits until all processes that the server has started have ended.
func (s *server) survivors() {
	s.t.Helper()
	waittest.Until(s.t, "all processes have ended", func() bool { return len(s.tools()) == 0 })
}

// run runs a command of the program on a project, and returns its output and exit code.
// It must stay within the memory (MiB).
func run(t testing.TB, memory int, stdin io.Reader, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(*binary, args...)
	cmd.Env, cmd.Stdin = environ("command", nil), stdin
	kill := time.AfterFunc(rig.Patience, func() { cmd.Process.Kill() })
	defer kill.Stop()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && int(usage.Maxrss>>10) > memory {
		t.Errorf("%v took %d MiB, more than %d", args, usage.Maxrss>>10, memory)
	}
	if !cmd.ProcessState.Exited() {
		t.Errorf("%v did not end within %v: %v", args, rig.Patience, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
