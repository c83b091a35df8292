package process

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// tree is a command with all its descendants, also those in other groups and sessions.
type tree struct {
	*group
	reaper *reaper
	hold   *hold
	id     string
	alone  bool // the last look of end found no orphan that may be its descendant
}

func (t *tree) complete() bool { return t.alone }

// wait does not reap: as long as the dead command keeps its process id, the id is not reused,
// and its group can be signalled and recognised.
func (t *tree) wait() {
	for unix.Waitid(unix.P_PID, t.pid(), nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// ask also finds the descendants that left the group, before anybody is asked: those whose parents have
// ended are no longer known as descendants. They are not children of this process, so their ids may be
// reused at any time; that is why they are only asked here, and killed once they are adopted.
func (t *tree) ask() {
	family := offspring([]process{{pid: t.pid()}})
	t.reaper.mu.Lock()
	orphans, _ := t.reaper.look(t)
	t.reaper.mu.Unlock()
	family = append(family, offspring(orphans)...)
	t.group.ask()
	asked := make(map[int]bool) // once, though adopted while the family was listed
	for _, p := range family {
		if p.group != t.pid() && !asked[p.pid] {
			asked[p.pid] = true
			signalToEnd(p.pid)
		}
	}
}

// end looks for remaining processes until there are none. A killed process may leave
// children, which are then adopted and found by the next look.
func (t *tree) end(until func() time.Time, s *streams) (*os.ProcessState, []int) {
	l := linger{until: until, began: time.Now(), unread: s.unread}
	for pause := firstPause; ; pause = longer(pause) {
		left, over := t.endNow(&l)
		if over {
			return t.state, left
		}
		s.pause(pause)
	}
}

// endNow is one look of end. When nothing is left, or what is left cannot be ended, it
// reaps the command and returns true for over.
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
			r.lost[p.pid] = true // otherwise every later run would wait for it too
		}
	}
	t.hold.unlist() // before its id can be reused
	t.group.wait()  // returns at once, and reaps
	delete(r.trees, t.pid())
	delete(r.ids, t.id)
	return pids(orphans), true
}

// killAll kills what is left of the group and the given orphans with their groups. It reports
// false if this process has permission to kill none of them. The caller holds the reaper's mu.
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
