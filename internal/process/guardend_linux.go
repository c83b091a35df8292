package process

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sharedFile returns a file in memory.
func sharedFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("mcp-bash commands", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "commands"), nil
}

// sinceBoot returns the current time in the unit of process.start.
func sinceBoot() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return 0
	}
	return t.Nano() / int64(clockTick)
}

// nameGuard gives the guard a process name of its own, so that pkill or killall with the program's name does
// not end it.
func nameGuard() { _ = os.WriteFile("/proc/self/comm", []byte("mcpbash-guard"), 0) }

// marks returns what identifies processes of this Runner: the prefix of their run ids, and that of
// the paths of their cgroups. Empty for none.
func (r *Runner) marks() (prefix, groups string) {
	if r.reaper != nil {
		prefix = r.reaper.prefix
	}
	if r.Cgroup != "" {
		groups = filepath.Join(r.Cgroup, r.groups.prefix)
	}
	return prefix, groups
}

// startOther starts a child that is not a command.
func (r *Runner) startOther(start func() (*os.Process, error)) (*os.Process, error) {
	k := r.reaper
	if k == nil {
		return start()
	}
	k.mu.Lock()
	k.starting++ // so it is not taken for an orphan
	k.mu.Unlock()
	p, err := start()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.starting--
	if err == nil {
		k.guard = p.Pid
	}
	return p, err
}

// reaped is called when the child has been reaped.
func (r *Runner) reaped() {
	if k := r.reaper; k != nil {
		k.mu.Lock()
		k.guard = 0
		k.mu.Unlock()
	}
}

// A remnant is what is left of the commands of a server.
type remnant struct {
	prefix string          // of the run ids
	groups map[int]bool    // their process groups
	known  map[int]process // all that were found, since their children may be adopted by other processes
}

// endRemaining ends the commands of a server that is gone: those in its table, which maps process
// ids to the latest time at which they had started, and processes with its marks.
func endRemaining(commands map[int]int64, prefix, groups string) {
	if len(allProcesses()) == 0 { // somebody has lowered the limit of its files
		endGroups(commands)
		return
	}
	l := remnant{prefix: prefix, groups: map[int]bool{}, known: map[int]process{}}
	for pid, since := range commands {
		// A process with that id that has started later is a different one.
		if p, ok := readProcess(pid); !ok || int64(p.start) <= since+1 {
			l.groups[pid] = true
		}
	}
	began := time.Now()
	for pid := range l.find() {
		signalToEnd(pid)
	}
	for pause := firstPause; time.Since(began) < guardGrace+stuck; pause = longer(pause) {
		left := l.find()
		if len(left) == 0 {
			break
		}
		if time.Since(began) >= guardGrace {
			l.kill(left)
		}
		time.Sleep(pause)
	}
	if groups != "" {
		paths, _ := filepath.Glob(groups + "*")
		for _, path := range paths {
			removeCgroup(path)
		}
	}
}

// kill kills processes with their groups, which includes processes that they have just started.
func (l *remnant) kill(left map[int]process) {
	for pid, p := range left {
		if l.groups[p.group] || p.group == pid {
			unix.Kill(-p.group, unix.SIGKILL)
		}
		unix.Kill(pid, unix.SIGKILL)
	}
}

// find returns the living processes of the commands.
func (l *remnant) find() map[int]process {
	all := allProcesses()
	found := map[int]process{}
	for more := true; more; {
		more = false
		for _, p := range all {
			if _, ok := found[p.pid]; ok || p.zombie() || p.pid == os.Getpid() || !l.has(p, found) {
				continue
			}
			found[p.pid], l.known[p.pid], more = p, p, true
		}
	}
	living := map[int]bool{}
	for _, p := range found {
		living[p.group] = true
	}
	maps.DeleteFunc(l.groups, func(group int, _ bool) bool { return !living[group] }) // others may get its id now
	return found
}

// has reports whether p is one of the remaining processes, given those found so far.
func (l *remnant) has(p process, found map[int]process) bool {
	if _, ok := found[p.parent]; ok || l.groups[p.group] {
		return true
	}
	if before, ok := l.known[p.pid]; ok {
		return before.start == p.start
	}
	return l.prefix != "" && strings.HasPrefix(environment(p.pid, runID), l.prefix)
}
