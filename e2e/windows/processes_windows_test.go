package windows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/matryer/is"
	"golang.org/x/sys/windows"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
)

// A watch knows which processes run: each connects to it. That a connection ends does not show that its process has:
// Wine can keep one open whose process was ended while it read.
type watch struct {
	t        *testing.T
	listener *net.TCPListener
	alive    map[string]watched
}

// A watched process. The handle is 0 for one that had ended when it was named.
type watched struct {
	net.Conn
	process windows.Handle
}

// watchTree returns the watch for processes of the role tree, and the variables for their server.
func watchTree(t *testing.T) (w *watch, variables []string) {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetDeadline(time.Now().Add(rig.Patience))
	w = &watch{t: t, listener: listener, alive: make(map[string]watched)}
	t.Cleanup(func() {
		listener.Close()
		for _, one := range w.alive {
			one.Close()
			_ = windows.CloseHandle(one.process) // fails if there is none
		}
	})
	return w, []string{roleVariable + "=tree", watcher + "=" + listener.Addr().String()}
}

// grown waits until the processes with these names run.
func (w *watch) grown(names ...string) {
	w.t.Helper()
	for range names {
		name, one := w.accept()
		for ; one.Conn == nil; name, one = w.accept() {
			w.t.Log("a connection has ended before its process was named") // it happens under Wine
		}
		w.alive[name] = one
	}
	for _, name := range names {
		if w.alive[name].Conn == nil {
			w.t.Fatalf("%s does not run", name)
		}
	}
}

// accept returns the next process and its name; without a connection if it has ended without one.
func (w *watch) accept() (name string, one watched) {
	w.t.Helper()
	conn, err := w.listener.Accept()
	if err != nil {
		w.t.Fatalf("waiting for a process: %v", err)
	}
	conn.SetDeadline(time.Now().Add(rig.Patience))
	line, err := bufio.NewReader(conn).ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.t.Fatalf("waiting for the name of a process: %v", err)
	}
	var id uint32
	if _, wrong := fmt.Sscan(line, &name, &id); err != nil || wrong != nil {
		conn.Close()
		return "", watched{}
	}
	one.Conn = conn
	if one.process, err = windows.OpenProcess(windows.SYNCHRONIZE, false, id); err != nil &&
		!errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // there is none with this id any more
		w.t.Fatalf("process %d, %s: %v", id, name, err)
	}
	return name, one
}

// gone waits until they have all ended.
func (w *watch) gone() {
	w.t.Helper()
	for name, one := range w.alive {
		if one.process == 0 {
			continue
		}
		if ended, err := windows.WaitForSingleObject(one.process, uint32(rig.Patience.Milliseconds())); ended != windows.WAIT_OBJECT_0 {
			w.t.Errorf("%s is left: %v", name, err)
		}
	}
}

// trees are projects whose tool "tree" starts three processes, each project in another way.
var trees = map[string]map[string]string{
	"a program": {"tools/tree/tool.exe": "", "tools/tree/tool.meta.json": `{"timeoutSecs":300}`},
	"a batch file": {
		"tools/tree/tool.bat":       "@echo off\r\n\"%~dp0helper.exe\" tool child detached\r\n",
		"tools/tree/helper.exe":     "",
		"tools/tree/tool.meta.json": `{"timeoutSecs":300}`,
	},
	"a command file that starts one": {
		"tools/tree/tool.cmd":       "@echo off\r\nstart /b \"\" \"%~dp0helper.exe\" child detached\r\n\"%~dp0helper.exe\" tool\r\n",
		"tools/tree/helper.exe":     "",
		"tools/tree/tool.meta.json": `{"timeoutSecs":300}`,
	},
}

// eachTree runs a test with a server whose tool "tree" was called and has started all its
// processes.
func eachTree(t *testing.T, test func(t *testing.T, s *server, w *watch)) {
	for name, files := range trees {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, variables := watchTree(t)
			s := serve(t, project(t, files), variables...).open()
			s.begin("tools/call", `{"name":"tree"}`)
			w.grown("tool", "child", "detached")
			test(t, s, w)
		})
	}
}

func TestACancelledCallLeavesNoProcess(t *testing.T) {
	eachTree(t, func(t *testing.T, s *server, w *watch) {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, s.id))
		w.gone()
		is.New(t).Equal(s.call("greet", map[string]any{}).text(), "hello from a batch file\n") // the server goes on
		s.close()
	})
}

func TestAToolThatEndsLeavesNoProcess(t *testing.T) {
	eachTree(t, func(t *testing.T, s *server, w *watch) {
		fmt.Fprintln(w.alive["tool"].Conn, "done")
		is.New(t).Equal(strings.TrimSpace(s.answer().text()), "done") // without waiting for its children
		w.gone()
		s.close()
	})
}

func TestAKilledServerLeavesNoProcess(t *testing.T) {
	eachTree(t, func(t *testing.T, s *server, w *watch) {
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		w.gone()
	})
}

func TestACallThatTakesTooLongLeavesNoProcess(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	w, variables := watchTree(t)
	root := project(t, map[string]string{"tools/tree/tool.exe": "", "tools/tree/tool.meta.json": `{"timeoutSecs":10}`})
	s := serve(t, root, variables...).open()
	a := s.call("tree", map[string]any{})
	is.True(strings.Contains(a.text(), "10")) // which limit it was
	w.grown("tool", "child", "detached")      // they had begun
	w.gone()
	s.close()
}

func TestAServerEndsWithoutAnErrorOnceNobodyReadsItsAnswers(t *testing.T) {
	is := is.New(t)
	s := serve(t, project(t, nil))
	is.NoErr(s.stdout.Close())
	s.begin("ping", "{}")
	is.NoErr(s.cmd.Wait())
	is.True(strings.Contains(s.cmd.Stderr.(*bytes.Buffer).String(), `reason="nobody reads the answers any more"`))
}

func TestTheNextServerRemovesWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	temp := t.TempDir()
	w, variables := watchTree(t)
	variables = append(variables, "TEMP="+temp, "TMP="+temp)
	root := project(t, trees["a program"])
	s := serve(t, root, variables...).open()
	s.begin("tools/call", `{"name":"tree"}`)
	w.grown("tool", "child", "detached")
	is.NoErr(s.cmd.Process.Kill())
	s.cmd.Wait()
	w.gone()
	left, err := os.ReadDir(temp)
	is.NoErr(err)
	is.True(len(left) > 0) // it could not tidy up

	next := serve(t, root, variables...).open()
	next.call("greet", map[string]any{})
	next.close()
	left, err = os.ReadDir(temp)
	is.NoErr(err)
	is.Equal(len(left), 0)
}
