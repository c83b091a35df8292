package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
	"github.com/mcp-bash/mcp-bash/v2/internal/cli/console"
	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// escapes is a bash script that tries ways out of a sandbox: $1 is a folder that it may write to, $2 a
// folder that it may not reach, with a file in it, $3 a port of this machine; $4 is yes if the sandbox
// blocks signals. It prints each way that leads out, and a last line after it has tried all of them
// and what is allowed works.
const escapes = `
(: < "$2/secret") 2>/dev/null && echo "read a file that it was not given"
(: > "$2/new") 2>/dev/null && echo "made a file where it may not write"
(: > "$2/secret") 2>/dev/null && echo "emptied a file that it was not given"
ln -s "$2/secret" "$1/link" && (: < "$1/link") 2>/dev/null && echo "read a file through a link"
ln "$2/secret" "$1/hard" 2>/dev/null && (: < "$1/hard") && echo "read a file through a second name of it"
mv "$2/secret" "$1/moved" 2>/dev/null && echo "moved a file that it was not given"
(exec 3<>"/dev/tcp/127.0.0.1/$3") 2>/dev/null && echo "connected to this machine by TCP"
(exec 3<>"/dev/udp/127.0.0.1/$3") 2>/dev/null && echo "opened a socket for UDP"
[ "$4" = yes ] && kill -0 "$PPID" 2>/dev/null && echo "sent a signal to its parent"
(: < "/proc/$PPID/fd/0") 2>/dev/null && echo "opened a file of its parent"
(echo in > "$1/file") && echo tried`

// sandbox checks the sandbox by trying to escape from it.
func (e *examination) sandbox(ctx context.Context) []Finding {
	r := &e.report.Runtime
	if err := cage.Available(); err != nil {
		r.Sandbox, r.SandboxMissing = false, err.Error()
		return e.unboxed(err)
	}
	out, err := e.escape(ctx, true)
	r.Sandbox = err == nil && len(out) == 0
	switch {
	case errors.Is(err, errNotTried):
		r.SandboxMissing = err.Error()
		return nil
	case err != nil:
		r.SandboxMissing = err.Error()
		return failed("runtime.sandbox_failed", "a tool in a sandbox does not run here: %v", err)
	case len(out) > 0:
		r.SandboxMissing = strings.Join(out, ", ")
		return failed("runtime.sandbox_leaks", "the sandbox of tools does not hold here: a script in it %s", r.SandboxMissing)
	}
	return nil
}

// unboxed reports what it means that no sandbox is available.
func (e *examination) unboxed(why error) []Finding {
	if e.sandboxed == 0 {
		return nil
	}
	return failed("runtime.sandbox_missing", "a sandbox is required by %s and not available: %v",
		console.Count(e.sandboxed, "tool"), why)
}

var errNotTried = errors.New("not tried: bash or a folder for temporary files is missing")

// escape runs the script, in a sandbox or not, and returns the ways out that it found.
func (e *examination) escape(ctx context.Context, caged bool) (ways []string, err error) {
	bash := e.report.Runtime.BashPath
	dir, err := os.MkdirTemp(e.Temp, "mcpbash.doctor.")
	if err != nil || bash == "" {
		return nil, errNotTried
	}
	defer os.RemoveAll(dir)
	inside, outside := filepath.Join(dir, "inside"), filepath.Join(dir, "outside")
	err = errors.Join(os.Mkdir(inside, 0o700), os.Mkdir(outside, 0o700),
		os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600))
	listener, listenErr := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(err, listenErr); err != nil {
		return nil, err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, err
	}
	signals := "no" // older kernels do not block them
	if cage.KeepsSignals() {
		signals = "yes"
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said, complaints := process.Head{Limit: 4 << 10}, process.Tail{Limit: 1 << 10}
	rules := cage.Rules{Read: append(cage.System(), bash), Write: append(cage.Devices(), inside)}
	c := process.Command{
		Path: bash, Args: []string{"-c", escapes, "doctor", inside, outside, port, signals},
		Env: []string{"PATH=" + e.path(), "LC_ALL=C"}, Stdout: &said, Stderr: &complaints,
	}
	if caged {
		c.Confine = rules.Run
	}
	ended, err := e.Check.Runner.Run(ctx, c)
	lines := strings.Split(strings.TrimSpace(said.Text()), "\n")
	if last := len(lines) - 1; err == nil && lines[last] == "tried" {
		return lines[:last], nil
	}
	return nil, errors.Join(err, fmt.Errorf("exit code %d: %s", ended.ExitCode, strings.TrimSpace(complaints.Text())))
}
