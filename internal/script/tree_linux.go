package script

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// tree is a command with all its descendants, wherever they went.
type tree struct {
	*group
	reaper *reaper
	hold   *hold
	id     string
	asleep bool // it waits for a call, and has started nothing; guarded by reaper.mu
	alone  bool // the last look of end found no orphan that it may have left
}

func (t *tree) complete() bool { return t.alone }

// sleep says whether the command only waits to be needed.
func (t *tree) sleep(yes bool) {
	r := t.reaper
	r.mu.Lock()
	defer r.mu.Unlock()
	switch t.asleep = yes; {
	case yes:
		r.sleeping++
	default:
		r.sleeping--
		r.startTicking()
	}
}

// wait does not reap: as long as the dead command keeps its process id, it is not given to
// others, and its group can be signalled and recognised.
func (t *tree) wait() {
	for unix.Waitid(unix.P_PID, t.pid(), nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// ask also finds the descendants that left the group. They are not our children, so their ids
// may be given to others at any time; that is why they are only asked here, and killed when
// they have fallen to us.
func (t *tree) ask() {
	t.group.ask()
	t.reaper.mu.Lock()
	orphans, _ := t.reaper.look(t)
	t.reaper.mu.Unlock()
	for _, p := range offspring(append(orphans, process{pid: t.pid()})) {
		if p.group != t.pid() {
			signalToEnd(p.pid)
		}
	}
}

// end looks for what is left until there is nothing. A killed process may leave children,
// which then fall to us and are found by the next look.
func (t *tree) end(until func() time.Time, out outlet) (*os.ProcessState, []int) {
	l := linger{until: until, began: time.Now(), unread: out.unread}
	for pause := firstPause; ; pause = longer(pause) {
		left, over := t.endNow(&l)
		if over {
			return t.state, left
		}
		out.pause(pause)
	}
}

// endNow is one look of end. When nothing is left, or nothing can be done about it, it
// reaps the command and reports that it is over.
func (t *tree) endNow(l *linger) (left []int, over bool) {
	r := t.reaper
	r.mu.Lock()
	defer r.mu.Unlock()
	orphans, others := r.look(t)
	t.alone = !others
	if len(orphans) > 0 {
		now := time.Now()
		if !l.isOver(now, func() activity { return activityOf(offspring(orphans)) }) {
			return nil, false
		}
		if t.killAll(orphans) && !l.isHopeless(now) {
			return nil, false
		}
		for _, p := range orphans {
			r.lost[p.pid] = true // or every later run would wait for it too
		}
	}
	t.hold.unguard() // before its id can be that of another
	t.group.wait()   // returns at once, and reaps
	delete(r.trees, t.pid())
	if t.asleep {
		r.sleeping--
	}
	delete(r.ids, t.id)
	return pids(orphans), true
}

// killAll kills what is left of the group and the given orphans with their groups. It
// reports false if we have the right to kill none of them. The caller holds the reaper's mu.
func (t *tree) killAll(orphans []process) (some bool) {
	t.kill()
	for _, p := range orphans {
		if p.group == p.pid {
			unix.Kill(-p.pid, unix.SIGKILL)
		}
		if unix.Kill(p.pid, unix.SIGKILL) == nil {
			some = true
		}
	}
	return some
}
