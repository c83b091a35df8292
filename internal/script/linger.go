//go:build unix

package script

import "time"

// A command that ended by itself may have left something behind that is not yet done: the tee
// of "exec > >(tee log)" has its last lines to pass on. It may go on while it works, but with
// no more CPU time than this, and on a machine that has none to give, for no longer than that.
const (
	lingerWork = 500 * time.Millisecond
	lingerTime = 2 * time.Second
)

// linger decides how long the processes that a command left behind may go on.
type linger struct {
	until  func() time.Time // the end of the grace period, or zero if the command was not asked to end
	began  time.Time        // when the command had ended
	unread func() bool      // whether some of the output is still to be read by us

	busy  time.Time     // when they were last seen at work
	seen  activity      // at the last look
	spent time.Duration // the CPU time that they have used since began
	ended time.Time     // when their time was over, or zero
}

// activity is what can be seen of the work of some processes.
type activity struct {
	working bool          // one of them wants the CPU or waits for a disk
	used    time.Duration // the CPU time of all
}

// isOver reports whether their time is over.
func (l *linger) isOver(now time.Time, look func() activity) bool {
	until := l.until()
	switch {
	case !l.ended.IsZero():
		return true
	case !until.IsZero():
		if now.Before(until) {
			return false
		}
	case now.Sub(l.began) < lingerTime && l.isBusy(now, look()):
		return false
	}
	l.ended = now
	return true
}

// isBusy reports whether they have worked within the last moments, but not too much. One that
// waits for us to read what it wrote is not at rest.
func (l *linger) isBusy(now time.Time, a activity) bool {
	first := l.busy.IsZero()
	if !first {
		l.spent += max(0, a.used-l.seen.used)
	}
	if first || a.working || a.used != l.seen.used || l.unread() {
		l.busy = now
	}
	l.seen = a
	return now.Sub(l.busy) < lingerAtRest && l.spent < lingerWork
}

// isHopeless reports whether even KILL has not ended them.
func (l *linger) isHopeless(now time.Time) bool {
	return !l.ended.IsZero() && now.Sub(l.ended) > stuck
}

// Looks follow each other at these times: most things end at once.
const firstPause = 100 * time.Microsecond

func longer(pause time.Duration) time.Duration { return min(2*pause, 5*time.Millisecond) }
