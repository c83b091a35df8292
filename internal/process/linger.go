//go:build unix

package process

import "time"

// A command that ended by itself may have left a process behind that is not done yet, such as the
// tee of "exec > >(tee log)", which has its last lines to pass on. Such a process may continue
// while it is working, within these limits: of CPU time, and of real time for a machine that is
// so busy that it gets none.
const (
	lingerWork = 500 * time.Millisecond
	lingerTime = 2 * time.Second
)

// linger decides how long the processes that a command left behind may go on.
type linger struct {
	until  func() time.Time // the end of the grace period, or zero if the command was not asked to end
	began  time.Time        // when the command had ended
	unread func() bool      // whether some of the output is still to be read by us

	busy  time.Time     // when they were last seen working
	seen  activity      // what the last look saw
	spent time.Duration // the CPU time that they have used since began
	ended time.Time     // when their time ran out, or zero
}

// activity is how much some processes are working, as far as can be seen.
type activity struct {
	working bool          // one of them is running, runnable, or waiting for a disk
	used    time.Duration // the CPU time of all
}

// isOver reports whether their time has run out.
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

// isBusy reports whether they have been working recently, within the limits. A process that
// waits until its output is read counts as working.
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

// isHopeless reports whether they have survived KILL for too long.
func (l *linger) isHopeless(now time.Time) bool {
	return !l.ended.IsZero() && now.Sub(l.ended) > stuck
}

// firstPause is the first pause between two looks. Most processes end at once, so the pauses begin
// short and grow; see longer.
const firstPause = 100 * time.Microsecond

func longer(pause time.Duration) time.Duration { return min(2*pause, 5*time.Millisecond) }
