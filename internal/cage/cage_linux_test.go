package cage_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"

	"github.com/mcp-bash/mcp-bash/v2/internal/cage"
)

func needCage(t *testing.T) {
	t.Helper()
	if err := cage.Available(); err != nil {
		t.Skip("this kernel has no sandbox for tools, so what it keeps out is not tested: ", err)
	}
}

// caged runs a program under rules, with the files and the streams of cmd.
func caged(t *testing.T, r cage.Rules, program string, args ...string) (output string, err error) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skip(program + " is not installed, so it is not tried in a sandbox")
	}
	r.Read, r.Write = append(cage.System(), r.Read...), append(cage.Devices(), r.Write...)
	var out bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &out, []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	release, err := r.Run(cmd.Start)
	defer release()
	if err != nil {
		return "", err
	}
	err = cmd.Wait()
	return out.String(), err
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatIsNotGivenCannotBeReached(t *testing.T) {
	needCage(t)
	open, closed := t.TempDir(), t.TempDir()
	secret := put(t, filepath.Join(closed, "secret"), "secret")
	given := put(t, filepath.Join(open, "given"), "given")
	for name, c := range map[string]struct {
		script string
		rules  cage.Rules
		can    bool
	}{
		"read what is given": {"cat " + given, cage.Rules{Read: []string{open}}, true},
		"run what is given": {"printf '#!/bin/sh\\n' > $1/run; chmod +x $1/run; $1/run",
			cage.Rules{Write: []string{open}, Attributes: true}, true},
		"write what may only be read":   {": > " + given, cage.Rules{Read: []string{open}}, false},
		"cut what may only be read":     {"truncate -s 0 " + given, cage.Rules{Read: []string{open}}, false},
		"remove what may only be read":  {"rm -f " + given, cage.Rules{Read: []string{open}}, false},
		"read elsewhere":                {"cat " + secret, cage.Rules{Write: []string{open}}, false},
		"list elsewhere":                {"ls " + closed, cage.Rules{Write: []string{open}}, false},
		"write elsewhere":               {"echo x > " + closed + "/x", cage.Rules{Write: []string{open}}, false},
		"make a folder elsewhere":       {"mkdir " + closed + "/y", cage.Rules{Write: []string{open}}, false},
		"move out":                      {"echo x > $1/x; mv $1/x " + closed + "/x", cage.Rules{Write: []string{open}}, false},
		"read elsewhere through a link": {"ln -sf " + secret + " $1/link; cat $1/link", cage.Rules{Write: []string{open}}, false},
		"a hard link to elsewhere":      {"ln " + secret + " $1/hard && cat $1/hard", cage.Rules{Write: []string{open}}, false},
		"write":                         {"mkdir $1/d; echo x > $1/d/x; mv $1/d/x $1/x; rm -r $1/d", cage.Rules{Write: []string{open}}, true},
		"the devices that keep nothing": {"echo x > /dev/null; head -c 1 /dev/urandom > /dev/null", cage.Rules{}, true},
		"its own streams":               {"echo x > /dev/stdout; echo y >&2; exec 3< <(echo z); read z <&3", cage.Rules{}, true},
		"a here document":               {"cat > /dev/null <<E\nx\nE", cage.Rules{}, true},
		"a child in a session":          {"setsid cat " + secret, cage.Rules{Write: []string{open}}, false},
		"our folder by /proc":           {"readlink /proc/$PPID/cwd || cd /proc/$PPID/cwd", cage.Rules{}, false},
		"our stdout by /proc":           {": > /proc/$PPID/fd/1", cage.Rules{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			out, err := caged(t, c.rules, "bash", "-ec", c.script, "test", open)
			if c.can {
				is.Equal(out+fmtError(err), strings.Trim(out, "\x00")) // it works
				return
			}
			var exit *exec.ExitError
			is.True(errors.As(err, &exit)) // it has failed
			is.True(strings.Contains(out, "Permission denied") || strings.Contains(out, "Invalid cross-device link") || strings.Contains(out, "cannot"))
			text, err := os.ReadFile(secret)
			is.NoErr(err)
			is.Equal(string(text), "secret")
		})
	}
	is := is.New(t)
	there, err := os.ReadDir(closed)
	is.NoErr(err)
	is.Equal(len(there), 1) // nothing got out
}

func fmtError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestTheNetworkIsReachedOnlyWhereItIsGiven(t *testing.T) {
	needCage(t)
	is := is.New(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	defer listener.Close()
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	for _, protocol := range []string{"tcp", "udp"} {
		connect := "exec 3<>/dev/" + protocol + "/127.0.0.1/" + port
		_, err = caged(t, cage.Rules{Network: true}, "bash", "-c", connect)
		is.NoErr(err) // given
		out, err := caged(t, cage.Rules{}, "bash", "-c", connect)
		is.True(err != nil)                                 // not given
		is.True(strings.Contains(out, "Permission denied")) // and said so
	}
}

// Programs that listen on a path do things for others, such as starting containers.
func TestSocketsOfTheMachineAreNotReached(t *testing.T) {
	needCage(t)
	is := is.New(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", path)
	is.NoErr(err)
	defer listener.Close()
	err = cage.Rules{Write: []string{dir}, Network: true}.Do(func() error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	})
	is.Equal(err, unix.EACCES)
	err = cage.Rules{}.Do(func() error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		return err
	})
	is.Equal(err, unix.EACCES) // it could be sent to a path
	err = cage.Rules{}.Do(func() error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		unix.Close(pair[0])
		unix.Close(pair[1])
		return err
	})
	is.NoErr(err) // programs talk to their children with it
	err = cage.Rules{}.Do(func() error {
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		return errno
	})
	is.Equal(err, unix.ENOSYS)
}

func TestWhatIsCagedCannotSignalOthers(t *testing.T) {
	needCage(t)
	is := is.New(t)
	other := exec.Command("cat")
	in, err := other.StdinPipe()
	is.NoErr(err)
	is.NoErr(other.Start())
	defer func() { in.Close(); other.Wait() }()
	err = cage.Rules{}.Do(func() error { return syscall.Kill(other.Process.Pid, 0) })
	is.Equal(err, syscall.EPERM)
}

func TestTheRulesHoldForNothingElse(t *testing.T) {
	needCage(t)
	is := is.New(t)
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			cage.Rules{}.Do(func() error { return nil })
			path := filepath.Join(dir, "x")
			os.WriteFile(path, nil, 0o600) // on whichever thread
		})
	}
	all.Wait()
	for range 200 {
		all.Go(func() {
			if _, err := os.ReadDir(dir); err != nil {
				t.Error(err)
			}
			if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err != nil {
				t.Error(err)
			} else {
				unix.Close(fd)
			}
		})
	}
	all.Wait()
	out, err := exec.Command("cat", "/proc/self/status").Output()
	is.NoErr(err)
	is.True(bytes.Contains(out, []byte("NoNewPrivs:\t0"))) // children as before
}

// A process may ask to be ended with the thread that started it.
func TestTheThreadStaysUntilItIsReleased(t *testing.T) {
	needCage(t)
	is := is.New(t)
	cmd := exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	is.NoErr(err)
	release, err := cage.Rules{Read: cage.System(), Write: cage.Devices()}.Run(cmd.Start)
	is.NoErr(err)
	in.Close()
	is.NoErr(cmd.Wait()) // at the end of its input, not by a signal
	release()
}

func TestTheThreadEndsWhenItIsReleased(t *testing.T) {
	needCage(t)
	is := is.New(t)
	var thread int
	release, err := cage.Rules{}.Run(func() error { thread = unix.Gettid(); return nil })
	is.NoErr(err)
	alive := func() bool { return unix.Tgkill(os.Getpid(), thread, 0) == nil }
	is.True(alive())
	is.True(thread != os.Getpid()) // the first thread cannot end
	release()
	for alive() {
		runtime.Gosched() // until it has ended
	}
}

func TestAFolderToWriteToMustBeThere(t *testing.T) {
	needCage(t)
	is := is.New(t)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	is.NoErr(cage.Rules{Read: []string{nowhere}}.Do(func() error { return nil })) // there is nothing to read
	ran := false
	err := cage.Rules{Write: []string{nowhere}}.Do(func() error { ran = true; return nil })
	is.True(errors.Is(err, os.ErrNotExist))
	is.True(!ran) // what cannot be kept in its cage does not run
}
