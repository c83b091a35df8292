package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/waittest"
)

// stubborn is a tool of three processes that ignore requests to end: itself, a child, and a
// grandchild that has left the session, the process group and all marks of the call. Each
// holds the pipe of the watch open.
const stubborn = `#!/usr/bin/env bash
trap '' TERM
exec 9>>"$MCP_E2E_DIR/alive"
env -i setsid bash -c 'echo runaway >&9; while :; do sleep 0.1; done' &
bash -c 'echo child >&9; while :; do sleep 0.1; done' &
echo tool >&9
while :; do sleep 0.1; done
`

// toolsOf returns a project with these files, which other users can read too.
func toolsOf(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{filepath.Dir(root), root} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		rig.WriteProgram(t, filepath.Join(root, name), text, 0o755)
	}
	return root
}

func callOf(tool string) []string {
	return append(callTree[:2:2], `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+tool+`"}}`)
}

func TestNothingOfAServerThatIsKilledSurvivesIt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT, syscall.SIGABRT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			is := is.New(t)
			dir := t.TempDir()
			tree := watchTree(t, dir)
			cmd := command(t, "serve", "-C", toolsOf(t, map[string]string{"tools/stubborn.sh": stubborn}))
			cmd.Env = append(cmd.Env, "MCP_E2E_DIR="+dir)
			// The server and its guard hold the pipe too, as an inherited file.
			held, err := os.OpenFile(filepath.Join(dir, "alive"), os.O_WRONLY, 0)
			is.NoErr(err)
			cmd.ExtraFiles = []*os.File{nil, held}
			s := start(t, cmd)
			held.Close()
			s.send(callOf("stubborn")...)
			tree.alive("child", "runaway", "tool")
			is.NoErr(s.cmd.Process.Signal(signal))
			tree.gone()
		})
	}
}

// serveIn starts a server that has its private folder in state, and whose tools write to the watch in dir.
func serveIn(t *testing.T, state, root, dir string) *server {
	t.Helper()
	cmd := command(t, "serve", "-C", root)
	cmd.Env = append(cmd.Env, "MCP_E2E_DIR="+dir, "MCPBASH_STATE_DIR="+state)
	return start(t, cmd)
}

// murderous is a tool that kills its server as soon as it runs.
const murderous = `#!/bin/sh
exec 9>>"$MCP_E2E_DIR/alive"
kill -KILL "$PPID"
sleep 600 &
wait
`

func TestAServerThatIsKilledByItsFirstToolLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	tree := watchTree(t, dir)
	root := toolsOf(t, map[string]string{"tools/murderous.sh": murderous})
	killed := serveIn(t, state, root, dir)
	killed.send(callOf("murderous")...)
	killed.wait()
	tree.keep.Close()
	tree.gone()
	next := serveIn(t, state, root, dir)
	next.send(callTree[:2]...)
	next.recv("initialize")
	waittest.Until(t, "its folder is removed", func() bool {
		left, err := os.ReadDir(state)
		return err == nil && len(left) == 1 // the one of the server that lives
	})
}

func TestAServerThatEndsTakesItsGuardAlong(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	dir := t.TempDir()
	tree := watchTree(t, dir)
	cmd := command(t, "serve", "-C", workshop)
	held, err := os.OpenFile(filepath.Join(dir, "alive"), os.O_WRONLY, 0)
	is.NoErr(err)
	cmd.ExtraFiles = []*os.File{nil, held}
	s := start(t, cmd)
	held.Close()
	tree.keep.Close()
	s.send(callOf("echo")...)
	s.recv("initialize")
	s.recv("the result")
	s.in.Close()
	tree.gone()
	is.Equal(s.wait(), 0)
}

func TestTheFolderOfAServerThatWasKilledIsRemovedByTheNext(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	dir, state := t.TempDir(), t.TempDir()
	tree := watchTree(t, dir)
	root := toolsOf(t, map[string]string{"tools/stubborn.sh": stubborn})
	killed := serveIn(t, state, root, dir)
	killed.send(callOf("stubborn")...)
	tree.alive("child", "runaway", "tool")
	left, err := os.ReadDir(state)
	is.NoErr(err)
	is.Equal(len(left), 1)
	is.NoErr(killed.cmd.Process.Kill())
	tree.gone()
	next := serveIn(t, state, root, dir)
	next.send(callTree[:2]...)
	next.recv("initialize")
	waittest.Until(t, "the folder is removed", func() bool {
		_, err := os.Lstat(filepath.Join(state, left[0].Name()))
		return os.IsNotExist(err)
	})
	now, err := os.ReadDir(state)
	is.NoErr(err)
	is.Equal(len(now), 1) // the one of the server that lives
}

// asNobody makes a command run as a user without other processes, if possible.
func asNobody(t *testing.T, s *syscall.SysProcAttr) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	id := uint32(61000 + os.Getpid()%1000)
	s.Credential = &syscall.Credential{Uid: id, Gid: id, NoSetGroups: true}
	if err := os.Chmod(filepath.Dir(binary), 0o755); err != nil {
		t.Fatal(err)
	}
	return true
}

// bomb is a tool that starts more and more processes, each of which holds the pipe of the watch
// open. Its shell writes an error to the pipe when it cannot.
const bomb = `#!/usr/bin/env bash
exec 2>>"$MCP_E2E_DIR/alive"
bomb() { while :; do bash -c 'sleep 300' & done; }
bomb
`

const bombLimits = `{"name": "bomb", "limits": {"processes": 64}, "timeoutSecs": 0}`

func TestAForkBombEndsAtItsLimitAndTheServerGoesOn(t *testing.T) {
	is := is.New(t)
	dir := t.TempDir()
	tree := watchTree(t, dir)
	is.NoErr(os.Chmod(filepath.Join(dir, "alive"), 0o666))
	cmd := command(t, "serve", "-C", toolsOf(t, map[string]string{
		"tools/bomb.sh": bomb, "tools/bomb.meta.json": bombLimits, "tools/echo.sh": "#!/bin/sh\necho alive\n",
	}))
	cmd.Env = append(cmd.Env, "MCP_E2E_DIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	asNobody(t, cmd.SysProcAttr)
	s := start(t, cmd)
	s.send(callOf("bomb")...)
	s.recv("initialize")
	for said := ""; !strings.Contains(said, "fork"); { // bash: fork: retry: Resource temporarily unavailable
		var err error
		said, err = tree.out.ReadString('\n')
		is.NoErr(err) // the bomb meets its limit
	}
	tree.keep.Close()
	s.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	pong, _ := s.recv("pong")
	is.Equal(pong, `{"jsonrpc":"2.0","id":3,"result":{}}`)
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	io.Copy(io.Discard, tree.out) // until the last of them has ended
	s.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo"}}`)
	next, _ := s.recv("the next result")
	is.True(strings.Contains(next, `"text":"alive\n"`))
}

// underLimit starts the server under a ulimit of the shell.
func underLimit(t *testing.T, limit, root, dir string) *server {
	t.Helper()
	cmd := command(t)
	cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", "ulimit " + limit + `; exec "$@"`, "bash", binary, "serve", "-C", root}
	cmd.Env = append(cmd.Env, "MCP_E2E_DIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	asNobody(t, cmd.SysProcAttr)
	return start(t, cmd)
}

// flood sends calls of a tool, all at once, and returns their answers in the order of arrival.
// Pings that are sent between them are answered too. On the first answer it calls then.
func (s *server) flood(tool string, n int, then ...func()) (answers []string) {
	s.t.Helper()
	for i := range n {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call%d","method":"tools/call","params":{"name":%q}}`, i, tool),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"ping%d","method":"ping"}`, i))
	}
	for pongs := 0; len(answers) < n || pongs < n; {
		line, ok := s.recv("all answers")
		switch {
		case !ok:
			s.t.Fatal("the server has ended")
		case strings.Contains(line, `"id":"ping`):
			pongs++
		case strings.Contains(line, `"method":"notifications/`):
		default:
			answers = append(answers, line)
			for _, do := range then {
				do()
			}
			then = nil
		}
	}
	return answers
}

// worksAgain waits until a call alone succeeds: when the last one is answered, its processes and
// descriptors may still be there for a moment.
func (s *server) worksAgain(tool, text string) {
	s.t.Helper()
	waittest.Until(s.t, "a call alone succeeds", func() bool { return strings.Contains(s.flood(tool, 1)[0], text) })
}

func TestAServerWithFewProcessesOutlivesAForkBomb(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to be a user without other processes")
	}
	is := is.New(t)
	dir := t.TempDir()
	is.NoErr(os.WriteFile(filepath.Join(dir, "alive"), nil, 0o666))
	is.NoErr(os.Chmod(filepath.Join(dir, "alive"), 0o666))
	s := underLimit(t, "-u 30", toolsOf(t, map[string]string{
		"tools/bomb.sh": bomb, "tools/bomb.meta.json": `{"name":"bomb","timeoutSecs":2}`, "tools/echo.sh": "#!/bin/sh\necho alive\n",
	}), dir)
	s.send(callTree[:2]...)
	s.recv("initialize")
	for _, answer := range s.flood("bomb", 3) {
		is.True(strings.Contains(answer, `"isError":true`))
	}
	for _, answer := range s.flood("echo", 40) {
		if !strings.Contains(answer, `"text":"alive\n"`) {
			is.True(strings.Contains(answer, "too many processes (limit 30)") || strings.Contains(answer, "fork")) // what is missing
		}
	}
	s.worksAgain("echo", `"text":"alive\n"`)
}

func TestAServerWithFewDescriptorsSaysThatTheyAreMissing(t *testing.T) {
	for _, limit := range []int{32, 48} { // 48: there is room for scripts, not for their channels
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			is := is.New(t)
			root := toolsOf(t, map[string]string{"tools/slow.sh": "#!/usr/bin/env bash\nuntil [ -e \"$MCPBASH_PROJECT_ROOT/go\" ]; do sleep 0.05; done\necho alive\n"})
			s := underLimit(t, fmt.Sprintf("-n %d", limit), root, t.TempDir())
			s.send(callTree[:2]...)
			s.recv("initialize")
			missing := 0
			for _, answer := range s.flood("slow", 16, func() { is.NoErr(os.WriteFile(filepath.Join(root, "go"), nil, 0o644)) }) {
				if !strings.Contains(answer, `"text":"alive\n"`) {
					missing++
					if !strings.Contains(answer, "too many open files") {
						t.Error("it says something else: " + answer)
					}
				}
			}
			is.True(missing > 0)
			s.worksAgain("slow", `"text":"alive\n"`)
		})
	}
}

func TestAServerThatMayOpenTooFewFilesSaysSoInOneLine(t *testing.T) {
	for _, limit := range []int{3, 4, 6, 7, 8, 12, 23} {
		is := is.New(t)
		start := fmt.Sprintf("ulimit -n %d; exec %q serve -C %q", limit, command(t).Path, workshop)
		out, err := exec.Command("/bin/bash", "-c", start).CombinedOutput()
		is.True(err != nil)
		want := "mcp-bash: too few files may be open (limit %d, needed 24); raise the limit (ulimit -n)\n"
		is.Equal(string(out), fmt.Sprintf(want, limit))
	}
}

// What a server has seen is not lost while its scripts hold all files, and what lacks them says so.
func TestAServerWithVeryFewFilesKeepsItsListsAndNamesTheLimit(t *testing.T) {
	for _, limit := range []int{24, 28, 45} {
		t.Run(strconv.Itoa(limit), func(t *testing.T) {
			is := is.New(t)
			const slow = "#!/usr/bin/env bash\nsleep 0.2\necho alive\n"
			root := toolsOf(t, map[string]string{"tools/slow.sh": slow})
			s := underLimit(t, fmt.Sprintf("-n %d", limit), root, t.TempDir())
			s.send(callTree[:2]...)
			s.recv("initialize")
			s.worksAgain("slow", `"text":"alive\n"`)
			for i := range 8 {
				s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"call%d","method":"tools/call","params":{"name":"slow"}}`, i),
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"list%d","method":"tools/list"}`, i))
			}
			for range 16 {
				line, ok := s.recv("all answers")
				is.True(ok)
				for strings.Contains(line, `"method":"notifications/`) {
					line, _ = s.recv("all answers")
				}
				says := func(text string) bool { return strings.Contains(line, text) }
				if !says(`"text":"alive\n"`) && !says(`"name":"slow"`) && !says("too many open files") {
					t.Error("it says something else: " + line)
				}
			}
		})
	}
}
