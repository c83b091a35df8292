//go:build amd64 || arm64 || riscv64 || loong64

package cage

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/matryer/is"
	"golang.org/x/sys/unix"
)

// callsVariable makes the test program try system calls instead of tests.
const callsVariable = "MCPBASH_TEST_CALLS"

// unsafeToTry are allowed, and end or stop the process that makes them without need.
var unsafeToTry = []uint32{unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RT_SIGRETURN, unix.SYS_RESTART_SYSCALL}

func TestMain(m *testing.M) {
	if os.Getenv(callsVariable) == "" {
		os.Exit(m.Run())
	}
	skipped := unsafeToTry
	if native[0] != 38 { // amd64: fork, vfork, pause, and uretprobe and uprobe, which the kernel keeps from filters
		skipped = append(skipped, 57, 58, 34, 335, 336)
	}
	for n := range uint32(newest + 100) {
		if slices.Contains(skipped, n) {
			continue
		}
		all := ^uintptr(0) // no address, descriptor, process or size
		_, _, errno := unix.RawSyscall6(uintptr(n), all, all, all, all, all, all)
		os.Stdout.WriteString(strconv.Itoa(int(n)) + " " + strconv.Itoa(int(errno)) + "\n")
	}
	os.Exit(0)
}

// inCage runs a program under rules.
func inCage(t *testing.T, r Rules, env []string, program string, args ...string) (string, error) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip("this kernel has no sandbox for tools, so what it keeps out is not tested: ", err)
	}
	r.Read, r.Write = append(System(), r.Read...), append(Devices(), r.Write...)
	var out strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &out, append(env, "PATH="+os.Getenv("PATH"), "LC_ALL=C")
	release, err := r.Run(cmd.Start)
	defer release()
	if err == nil {
		err = cmd.Wait()
	}
	return out.String(), err
}

func TestEverySystemCallThatIsNotListedIsRefused(t *testing.T) {
	is := is.New(t)
	self, err := os.Executable()
	is.NoErr(err)
	out, err := inCage(t, Rules{Read: []string{filepath.Dir(self)}}, []string{callsVariable + "=1"}, self)
	if err != nil {
		t.Log(out)
	}
	is.NoErr(err) // it tried them all
	got := map[uint32]unix.Errno{}
	for line := range strings.Lines(out) {
		number, errno, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.Atoi(number)
		e, _ := strconv.Atoi(errno)
		got[uint32(n)] = unix.Errno(e)
	}
	free := slices.Concat(allowed, native)
	other := map[uint32]unix.Errno{}
	for _, v := range slices.Concat(missing, attributes) {
		other[v.number] = unix.Errno(v.result &^ unix.SECCOMP_RET_ERRNO)
	}
	for _, r := range rules(false) {
		other[r.number] = r.refusal // nothing is allowed with these arguments, except for ioctl
	}
	other[unix.SYS_IOCTL] = unix.EBADF
	is.True(len(got) > newest+80)
	for n, errno := range got {
		switch want, special := other[n]; {
		case special && errno != want:
			t.Errorf("system call %d: %v, not %v", n, errno, want)
		case special, slices.Contains(free, n):
		case n > newest && errno != unix.ENOSYS, n <= newest && errno != unix.EPERM:
			t.Errorf("system call %d is not listed: %v", n, errno)
		}
	}
	for _, n := range []uint32{unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_SHMGET,
		unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV,
		unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
		unix.SYS_USERFAULTFD, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_PRLIMIT64,
		unix.SYS_SETPRIORITY, unix.SYS_SCHED_SETAFFINITY, unix.SYS_CLONE, unix.SYS_INIT_MODULE} {
		is.Equal(got[n], unix.EPERM)
	}
}

func TestProgramsWorkUnderTheFilter(t *testing.T) {
	t.Setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
	for name, script := range map[string]string{
		"git": `git init -q "$1/repo" && cd "$1/repo" &&
git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x && git log --oneline`,
		"tar": `mkdir -p "$1/a" && echo x >"$1/a/f" && tar -C "$1" -cf "$1/a.tar" a &&
mkdir -p "$1/b" && tar -C "$1/b" -xf "$1/a.tar"`,
		"sed":  `echo x >"$1/s" && sed -i s/x/y/ "$1/s" && cp -p "$1/s" "$1/s2" && touch "$1/s2"`,
		"sort": `seq 1000 | sort -rn | awk '{s+=$1} END {print s}' | grep -qx 500500`,
		"make": `printf 'all:\n\techo made\n' >"$1/Makefile" && make -C "$1"`,
		"jq":   `echo '{"a":1}' | jq .a`,
		"node": `node -e 'require("child_process").execSync("true"); console.log(1)'`,
		"kill": `sleep 300 & kill $! && ! wait $!`,
		"nice": `nice -n 1 true && (ulimit -n 64)`,
		"python3": `python3 -c 'import subprocess, threading
t = threading.Thread(target=print); t.start(); t.join(); subprocess.run(["true"], check=True)'`,
	} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(name + " is not installed, so it is not tried in a sandbox")
			}
			dir := t.TempDir()
			env := []string{"HOME=" + dir, "TMPDIR=" + dir}
			out, err := inCage(t, Rules{Write: []string{dir}}, env, "bash", "-ec", script, "test", dir)
			if err != nil {
				t.Log(out)
			}
			is.NoErr(err)
		})
	}
}

func TestAttributesOfFilesStayAsTheyAre(t *testing.T) {
	is := is.New(t)
	foreign := filepath.Join(t.TempDir(), "f")
	is.NoErr(os.WriteFile(foreign, nil, 0o600))
	before, err := os.Stat(foreign)
	is.NoErr(err)
	script := `chmod 777 "$1"; touch -d 2001-01-01 "$1"; chmod 777 "$1"`
	_, err = inCage(t, Rules{}, nil, "bash", "-c", script, "test", foreign)
	is.NoErr(err)
	after, err := os.Stat(foreign)
	is.NoErr(err)
	is.Equal(after.Mode(), before.Mode())
	is.Equal(after.ModTime(), before.ModTime())
}
