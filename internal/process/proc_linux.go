package process

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of time in /proc, the same on every Linux that Go runs on.
const clockTick = 10 * time.Millisecond

// process is the part of /proc/PID/stat that is used here.
type process struct {
	pid, parent, group int

	state byte          // R, S, D, Z, ...
	used  time.Duration // CPU time, of all threads
	start uint64        // from boot, in ticks
}

func (p process) zombie() bool { return p.state == 'Z' || p.state == 'X' }

// readProcess reads /proc/PID/stat. It reports false if there is no such process.
func readProcess(pid int) (process, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	return parseStat(pid, b)
}

// parseStat parses the line of /proc/PID/stat. The name of the program, in
// parentheses, may contain spaces and parentheses itself.
func parseStat(pid int, line []byte) (process, bool) {
	_, rest, ok := bytes.Cut(line[max(0, bytes.LastIndexByte(line, ')')):], []byte(") "))
	f := strings.Fields(string(rest))
	if !ok || len(f) < 20 {
		return process{}, false
	}
	p := process{pid: pid, state: f[0][0]}
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	p.used = time.Duration(user+system) * clockTick
	p.start, _ = strconv.ParseUint(f[19], 10, 64)
	return p, true
}

// allProcesses returns all processes in /proc.
func allProcesses() []process {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var all []process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

// members returns the living processes of a group. kill also counts dead processes until they
// are reaped, which the first process of a container may never do.
func members(group int) (living []process) {
	if unix.Kill(-group, 0) == unix.ESRCH {
		return nil
	}
	for _, p := range allProcesses() {
		if p.group == group && !p.zombie() {
			living = append(living, p)
		}
	}
	return living
}

// offspring returns the given processes and their living descendants. It returns only the given
// ones if the kernel does not list children.
func offspring(roots []process) (found []process) {
	for queue := pids(roots); len(queue) > 0; queue = queue[1:] {
		p, ok := readProcess(queue[0])
		if !ok || p.zombie() {
			continue
		}
		found = append(found, p)
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.pid))
		for _, list := range lists {
			b, _ := os.ReadFile(list)
			queue = append(queue, numbers(b)...)
		}
	}
	return found
}

// lingerAtRest is how long the processes that a command left behind must be idle before they
// are considered to have nothing to finish.
const lingerAtRest = 30 * time.Millisecond

// activityOf returns how much processes are working. The CPU time in stat is coarse; schedstat,
// where the kernel has it, counts nanoseconds, but only of the first thread.
func activityOf(processes []process) (a activity) {
	for _, p := range processes {
		a.working = a.working || p.state == 'R' || p.state == 'D'
		b, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/schedstat")
		ran, _, _ := strings.Cut(string(b), " ")
		ns, _ := strconv.ParseInt(ran, 10, 64)
		a.used += max(time.Duration(ns), p.used)
	}
	return a
}

// environment returns the value of a variable in the environment with which the program of a
// process was started, or "" if it is not set, was overwritten, or may not be read.
func environment(pid int, name string) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return ""
	}
	for entry := range bytes.SplitSeq(b, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// children lists our own child processes.
type children struct {
	// The children of the server's first thread, to which orphans are reparented; nil if the
	// kernel has no such file. Children that other threads have started are not in it, and
	// need not be: they are not orphans.
	file *os.File
}

func openChildren() children {
	f, _ := os.Open(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	return children{f}
}

// list returns the children: all adopted orphans, and perhaps others. No child may be reaped
// meanwhile, or the kernel may omit another.
func (c *children) list() (found []int) {
	if c.file == nil {
		for _, p := range allProcesses() {
			if p.parent == os.Getpid() {
				found = append(found, p.pid)
			}
		}
		return found
	}
	text, _ := io.ReadAll(io.NewSectionReader(c.file, 0, math.MaxInt64))
	return numbers(text)
}

// numbers returns the process ids in a list of the kernel.
func numbers(list []byte) (pids []int) {
	for field := range strings.FieldsSeq(string(list)) {
		pid, _ := strconv.Atoi(field)
		pids = append(pids, pid)
	}
	return pids
}
