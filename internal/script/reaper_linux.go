package script

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

// While commands run, orphans that have ended are reaped this often. A script that starts
// thousands of short daemons would else use up the process ids before it ends.
const reapEvery = time.Second

// A reaper knows the running commands of the process and looks after the orphans that the
// system hands to it.
//
// Whatever is left of a command when it has ended hangs on an orphan, and orphans are our
// own children. So one look at the list of our children tells whether something is left,
// and in nearly every case nothing is: that is all that a run pays. A child that is not
// known is looked at more closely.
//
// Process ids are reused, so a signal may hit a stranger. That cannot happen to a child
// that is not reaped, and only the reaper reaps orphans, under mu.
type reaper struct {
	group  int    // the server's: its children that are not our business are in it
	prefix string // of the run ids of this process
	sole   bool   // every orphan stems from a command of ours

	mu       sync.Mutex
	children children         // guarded by mu
	trees    map[int]*tree    // the running commands by process id, until reaped; guarded by mu
	ids      map[string]*tree // the same by run id, and those being started; guarded by mu
	sleeping int              // how many of trees wait for a call; guarded by mu
	starting int              // how many are being started, not yet in trees; guarded by mu
	lost     map[int]bool     // orphans that could not be ended, until reaped; guarded by mu
	guard    int              // its process id, until reaped; 0 for none; guarded by mu
	serial   uint64           // of the last run id; guarded by mu
	ticking  bool             // tick will be called; guarded by mu
}

func newReaper() (*reaper, error) {
	// In a container that shows the processes of its host, their ids would be taken for ours.
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil, errors.New("/proc does not show this process; mount proc in its pid namespace")
	}
	// A process that was started in place of another (exec) may have children already, and
	// the first process of a container gets the orphans of all others.
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

// startTicking lets tick be called. The caller holds mu.
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
	left, others := r.look(nil)
	r.ticking = len(r.trees) > r.sleeping || r.starting > 0 || len(left) > 0 || others
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

// reap removes what is left of an orphan that has ended. A child that somebody else waits
// for is not touched: it is in the group of the server, or it is a command that is just
// being started and leads a group.
func (r *reaper) reap(p process) {
	if p.group != r.group && (r.starting == 0 || p.group != p.pid) {
		unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		delete(r.lost, p.pid)
	}
}

// owner returns the running command that p stems from, or reports that it stems from one
// that is over. If neither can be told, it returns nil and false. The command t, which is
// about to end, is no reason to spare a process of which nothing is known.
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
		if leader, ok := readProcess(pid); o != t && !o.asleep && ok && leader.start <= p.start {
			return nil, false
		}
	}
	return nil, true
}
