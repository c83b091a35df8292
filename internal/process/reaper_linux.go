package process

import (
	"crypto/rand"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// runID is the variable that marks the descendants of one run.
const runID = "MCPBASH_RUN_ID"

// reapEvery is how often orphans that have ended are reaped while commands run. Otherwise a
// script that starts thousands of short-lived daemons would use up the process ids before it
// ends.
const reapEvery = time.Second

// A reaper keeps track of the running commands of this process, and reaps or ends the
// orphans that it adopts.
//
// Whatever is left of a command when it has ended descends from an orphan, and orphans are
// children of this process. So the list of children shows whether something is left. Nearly
// always nothing is, and then reading that list is the whole cost for a run. Only unknown
// children are examined further.
//
// Process ids are reused, so a signal could hit an unrelated process. That cannot happen
// with a child that is not reaped yet, and only the reaper reaps orphans, under mu.
type reaper struct {
	group  int    // the server's own group: children in it are left alone
	prefix string // of the run ids of this process
	sole   bool   // every orphan descends from a command of this Runner

	mu       sync.Mutex
	children children         // guarded by mu
	trees    map[int]*tree    // the running commands by process id, until reaped; guarded by mu
	ids      map[string]*tree // the same by run id, and those being started; guarded by mu
	starting int              // how many are being started, not yet in trees; guarded by mu
	lost     map[int]bool     // orphans that could not be ended, until reaped; guarded by mu
	guard    int              // its process id, until reaped; 0 for none; guarded by mu
	serial   uint64           // of the last run id; guarded by mu
	ticking  bool             // tick will be called; guarded by mu
	ended    bool             // the Runner is closed: children are left alone; guarded by mu
}

func newReaper() (*reaper, error) {
	// In a container that shows the /proc of its host, the ids there would be mistaken for ours.
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil, errors.New("/proc does not show this process; mount proc in its pid namespace")
	}
	// A process that replaced another (exec) may have children already, and the first process
	// of a container adopts all orphans.
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err != nil && err != unix.ECHILD {
		return nil, os.NewSyscallError("waitid", err)
	}
	return &reaper{
		group:    unix.Getpgrp(),
		prefix:   rand.Text() + "-",
		sole:     err == unix.ECHILD && os.Getpid() != 1,
		children: openChildren(),
		trees:    map[int]*tree{},
		ids:      map[string]*tree{},
		lost:     map[int]bool{},
	}, nil
}

// start starts a command as the root of a tree.
func (r *reaper) start(path string, argv []string, attr os.ProcAttr, h *hold) (*tree, error) {
	r.mu.Lock()
	r.serial++
	t := &tree{reaper: r, hold: h, id: r.prefix + strconv.FormatUint(r.serial, 10)}
	r.ids[t.id] = t
	r.starting++
	r.startTicking()
	r.mu.Unlock()

	attr.Env = marked(attr.Env, t.id)
	g, err := startGroup(path, argv, attr, h)

	r.mu.Lock()
	defer r.mu.Unlock()
	r.starting--
	if err != nil {
		delete(r.ids, t.id)
		return nil, err
	}
	t.group = g
	r.trees[g.pid()] = t
	return t, nil
}

// marked returns env with the run id, in place of one that the server may have inherited.
func marked(env []string, id string) []string {
	out := make([]string, 0, len(env)+1)
	for _, v := range env {
		if !strings.HasPrefix(v, runID+"=") {
			out = append(out, v)
		}
	}
	return append(out, runID+"="+id)
}

// startTicking starts the timer of tick. The caller holds mu.
func (r *reaper) startTicking() {
	if !r.ticking {
		r.ticking = true
		time.AfterFunc(reapEvery, r.tick)
	}
}

// tick reaps from time to time.
func (r *reaper) tick() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	left, others := r.look(nil)
	r.ticking = len(r.trees) > 0 || r.starting > 0 || len(left) > 0 || others
	if r.ticking {
		time.AfterFunc(reapEvery, r.tick)
	}
}

// look goes through the orphans: it reaps those that have ended, kills those of commands
// that are over, and returns the living ones of t and the killed ones. It also reports
// whether there are others. The caller holds mu.
func (r *reaper) look(t *tree) (left []process, others bool) {
	for _, pid := range r.children.list() {
		if r.trees[pid] != nil || pid == r.guard {
			continue
		}
		p, ok := readProcess(pid)
		switch {
		case !ok:
		case p.zombie():
			r.reap(p)
		case r.lost[pid]:
			others = true
		default:
			owner, over := r.owner(p, t)
			if over {
				unix.Kill(pid, unix.SIGKILL)
			}
			if over || t != nil && owner == t {
				left = append(left, p)
			} else {
				others = true
			}
		}
	}
	return left, others
}

// reap reaps an orphan that has ended. A child that other code waits for is not touched: it
// is in the group of the server, or it is a command that is just being started and leads a
// group.
func (r *reaper) reap(p process) {
	if p.group != r.group && (r.starting == 0 || p.group != p.pid) {
		unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		delete(r.lost, p.pid)
	}
}

// owner returns the running command that p descends from, or reports that its command is
// over. If neither is known, it returns nil and false. An unknown process is not spared
// because of t alone, the command that is about to end.
func (r *reaper) owner(p process, t *tree) (owner *tree, over bool) {
	if owner = r.trees[p.group]; owner != nil {
		return owner, false
	}
	if id := environment(p.pid, runID); strings.HasPrefix(id, r.prefix) {
		owner = r.ids[id]
		return owner, owner == nil
	}
	if !r.sole || r.starting > 0 || p.group == r.group {
		return nil, false
	}
	for pid, o := range r.trees {
		if leader, ok := readProcess(pid); o != t && ok && leader.start <= p.start {
			return nil, false
		}
	}
	return nil, true
}
