package process

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// cgroups creates a cgroup for each command, in a folder that the operator has set.
type cgroups struct {
	once   sync.Once
	v2     bool
	err    error
	prefix string // of the names of the cgroups
	serial atomic.Uint64
}

// A cgroup contains one command, from its start, with all of its descendants.
type cgroup struct {
	path string
	v2   bool
	dir  *os.File // in version 2: the command is started in it
	rest Limits   // the limits that the cgroup does not enforce
}

// open checks the folder and its version.
func (c *cgroups) open(folder string) {
	c.prefix = "mcpbash." + rand.Text() + "."
	if _, err := os.Stat(filepath.Join(folder, "cgroup.procs")); err != nil {
		c.err = fmt.Errorf("%s is not a folder of cgroups: %w", folder, err)
		return
	}
	_, err := os.Stat(filepath.Join(folder, "cgroup.controllers"))
	if c.v2 = err == nil; !c.v2 {
		return
	}
	for _, name := range []string{"+pids", "+memory"} { // if it has them
		_ = os.WriteFile(filepath.Join(folder, "cgroup.subtree_control"), []byte(name), 0)
	}
}

func (c *cgroups) make(folder string, l Limits) (g *cgroup, err error) {
	c.once.Do(func() { c.open(folder) })
	if c.err != nil {
		return nil, c.err
	}
	g = &cgroup{path: filepath.Join(folder, c.prefix+strconv.FormatUint(c.serial.Add(1), 10)), v2: c.v2, rest: l}
	if err := os.Mkdir(g.path, 0o755); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.remove()
		}
	}()
	if err := g.limit("pids.max", &g.rest.Processes); err != nil {
		return nil, err
	}
	if !c.v2 {
		return g, nil
	}
	if err := g.limit("memory.max", &g.rest.Memory); err != nil {
		return nil, err
	}
	g.dir, err = os.Open(g.path)
	return g, err
}

// CheckCgroup reports why commands cannot get a cgroup in a folder; nil if they can.
func CheckCgroup(folder string) error {
	var c cgroups
	g, err := c.make(folder, Limits{})
	if err == nil {
		g.remove()
	}
	return err
}

// Unheld returns which limits are not enforced for the commands of this process, a sentence each.
func Unheld(cgroup string) (reasons []string) {
	if cgroup == "" && os.Geteuid() == 0 {
		reasons = append(reasons, "the system does not hold processes for root; set MCPBASH_CGROUP, or serve as another user")
	}
	return reasons
}

// limit sets a limit, and clears value if the cgroup enforces it.
func (g *cgroup) limit(file string, value *int64) error {
	if *value <= 0 {
		return nil
	}
	err := g.write(file, strconv.FormatInt(*value, 10))
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return nil // it has no such controller
	case err == nil:
		*value = 0
	}
	return err
}

func (g *cgroup) write(file, text string) error {
	f, err := os.OpenFile(filepath.Join(g.path, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (g *cgroup) attributes(sys *syscall.SysProcAttr) {
	if g.dir != nil {
		sys.UseCgroupFD, sys.CgroupFD = true, int(g.dir.Fd())
	}
}

// enter moves a command that could not be started in the cgroup into it.
func (g *cgroup) enter(pid int) error {
	return ignoreEnded(g.write("cgroup.procs", strconv.Itoa(pid)))
}

// reached returns the name of the limit that a process in it has reached, or "".
func (g *cgroup) reached() string {
	switch {
	case g.count("memory.events", "oom_kill") > 0:
		return "memory"
	case g.count("pids.events", "max") > 0:
		return "processes"
	}
	return ""
}

func (g *cgroup) count(file, name string) int {
	f, err := os.Open(filepath.Join(g.path, file))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, ok := bytes.CutPrefix(lines.Bytes(), []byte(name+" ")); ok {
			n, _ := strconv.Atoi(string(value))
			return n
		}
	}
	return 0
}

// remove kills the processes in the cgroup and removes it.
func (g *cgroup) remove() {
	if g.dir != nil {
		g.dir.Close()
	}
	removeCgroup(g.path)
}

// removeCgroup kills the processes in a cgroup and removes it, unless a process cannot be
// killed.
func removeCgroup(path string) {
	limit := time.Now().Add(stuck)
	for pause := firstPause; ; pause = longer(pause) {
		if err := unix.Rmdir(path); err != unix.EBUSY && err != unix.EINTR || time.Now().After(limit) {
			return
		}
		if os.WriteFile(filepath.Join(path, "cgroup.kill"), []byte("1"), 0) != nil {
			b, _ := os.ReadFile(filepath.Join(path, "cgroup.procs"))
			for _, pid := range numbers(b) {
				if pid > 1 && pid != os.Getpid() {
					unix.Kill(pid, unix.SIGKILL)
				}
			}
		}
		time.Sleep(pause)
	}
}
