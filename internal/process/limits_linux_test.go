package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/matryer/is"
)

// whenLimited returns a shell that waits until its limits are set, and then runs the lines.
func whenLimited(lines string, l Limits) Command {
	c := shell("read -r; " + lines)
	c.Stdin, c.Limits = strings.NewReader("go\n"), l
	return c
}

func TestACommandHasTheLimitsThatItAsksFor(t *testing.T) {
	is := is.New(t)
	out := outputOf(t, whenLimited("ulimit -Sd; ulimit -Hd; ulimit -St; ulimit -Sf; ulimit -Hn",
		Limits{Memory: 64 << 20, CPU: 7, FileSize: 1 << 20, OpenFiles: 40}))
	is.Equal(out, "65536\n65536\n7\n1024\n40\n") // KiB, KiB, seconds, KiB
}

func TestALimitOfTheServerThatIsLowerStays(t *testing.T) {
	is := is.New(t)
	open := OpenFiles()
	out := outputOf(t, whenLimited("ulimit -Sn", Limits{OpenFiles: 1 << 20}))
	is.Equal(out, fmt.Sprintf("%d\n", min(open, 1<<20)))
}

func TestALimitThatEndsACommandIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines  string
		limits Limits
	}{
		"cpuSeconds": {"while :; do :; done", Limits{CPU: 1}},
		"fileSize":   {`exec yes >"$TMPDIR/big"`, Limits{FileSize: 10_000}},
	} {
		for _, how := range []string{"itself", "a child"} {
			t.Run(name+" by "+how, func(t *testing.T) {
				t.Parallel()
				is := is.New(t)
				command := whenLimited(c.lines, c.limits)
				if how == "a child" {
					command = whenLimited("(\n"+c.lines+"\n)\nexit $?", c.limits)
				}
				command.Env = append(command.Env, "TMPDIR="+t.TempDir())
				res, err := runner.Run(t.Context(), command)
				is.NoErr(err)
				is.Equal(res.Limit, name)
			})
		}
	}
}

func TestACommandThatGoesOnAfterItsProcessorTimeIsKilled(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	res, err := runner.Run(t.Context(), whenLimited("trap '' XCPU; while :; do :; done", Limits{CPU: 1}))
	is.NoErr(err)
	is.Equal(res.Signal, "SIGKILL")
	is.Equal(res.Limit, "cpuSeconds")
}

// newCgroup makes a cgroup for a test.
func newCgroup(t *testing.T, parent string) string {
	t.Helper()
	folder := filepath.Join(parent, fmt.Sprintf("mcpbash-test-%d", os.Getpid()))
	if _, err := os.Stat(filepath.Join(parent, "cgroup.procs")); err != nil {
		t.Skip("this machine has no such cgroups: ", err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skip("this user may not make a cgroup: ", err)
	}
	t.Cleanup(func() { os.Remove(folder) })
	return folder
}

func TestACommandInACgroupOfItsOwnHasItsLimitsAndLeavesNothing(t *testing.T) {
	for name, parent := range map[string]string{"version 2": "/sys/fs/cgroup", "version 2 beside 1": "/sys/fs/cgroup/unified", "pids of version 1": "/sys/fs/cgroup/pids"} {
		t.Run(name, func(t *testing.T) {
			is := is.New(t)
			folder := newCgroup(t, parent)
			r := Runner{Cgroup: folder, adoption: sharedAdoption()}
			// bash would try for 15 seconds to fork; most others fail at once.
			c := whenLimited("exec sh -c 'setsid sleep 300 & setsid sleep 300 & setsid sleep 300 & cat /proc/self/cgroup; wait'", Limits{Processes: 3})
			_, held := os.Stat(filepath.Join(folder, "pids.max")) // whether it has the controller
			var out, said Tail
			out.Limit, said.Limit = 1<<10, 1<<10
			c.Stdout, c.Stderr = &out, &said
			if held != nil {
				c = whenLimited("cat /proc/self/cgroup; env -i setsid sleep 300 & exit 3", Limits{})
				c.Stdout = &out
			}
			res, err := r.Run(t.Context(), c)
			is.NoErr(err)
			if held == nil {
				is.Equal(res.Limit, "processes")               // the system counted
				is.True(strings.Contains(said.Text(), "fork")) // what the shell saw of it
			} else {
				is.True(strings.Contains(out.Text(), filepath.Base(folder))) // it was started there
			}
			left, err := filepath.Glob(filepath.Join(folder, "mcpbash.*"))
			is.NoErr(err)
			is.Equal(len(left), 0) // and could be removed, so nothing is in it
		})
	}
}

func TestNothingOfACommandRunsOutsideOfItsCgroup(t *testing.T) {
	for _, parent := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids"} {
		for _, confined := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, confined %v", filepath.Base(parent), confined), func(t *testing.T) {
				is := is.New(t)
				folder := newCgroup(t, parent)
				r := Runner{Cgroup: folder, adoption: sharedAdoption()}
				for range 20 {
					var out Tail
					out.Limit = 4 << 10
					c := Command{Path: "/bin/cat", Args: []string{"/proc/self/cgroup", "a b"}, Stdout: &out}
					if confined {
						c.Confine = func(start func() error) (func(), error) { return func() {}, start() }
					}
					res, err := r.Run(t.Context(), c)
					is.NoErr(err)
					if said := out.Text(); !strings.Contains(said, filepath.Base(folder)) { // it says so at its start
						t.Fatalf("it is not in %s: %q, %d bytes, %+v", folder, said, out.Total(), res)
					}
				}
			})
		}
	}
}

func TestACgroupThatCannotBeUsedIsNamed(t *testing.T) {
	is := is.New(t)
	r := Runner{Cgroup: t.TempDir()}
	_, err := r.Run(t.Context(), shell("true"))
	is.True(strings.Contains(err.Error(), "MCPBASH_CGROUP")) // says where it was named
}
