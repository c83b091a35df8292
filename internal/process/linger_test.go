//go:build unix

package process

import (
	"testing"
	"time"

	"github.com/matryer/is"
)

func TestTheTimeOfWhatIsLeft(t *testing.T) {
	is := is.New(t)
	began := time.Unix(1000, 0)
	unread := false
	fresh := func(until time.Time) *linger {
		return &linger{began: began, until: func() time.Time { return until }, unread: func() bool { return unread }}
	}
	over := func(l *linger, after time.Duration, a activity) bool {
		return l.isOver(began.Add(after), func() activity { return a })
	}
	rests, works := activity{used: 5}, activity{used: 5, working: true}

	l := fresh(time.Time{})
	is.True(!over(l, 0, rests))                                            // it may be about to start
	is.True(!over(l, lingerAtRest, works))                                 // it works
	is.True(!over(l, 2*lingerAtRest-1, rests))                             // it has not rested for long
	is.True(!l.isHopeless(began.Add(time.Hour)))                           // nobody has killed it
	is.True(over(l, 2*lingerAtRest, rests))                                // now it has
	is.True(over(l, 2*lingerAtRest, works))                                // too late
	is.True(!l.isHopeless(began.Add(2*lingerAtRest + stuck)))              // it was killed and may still die
	is.True(l.isHopeless(began.Add(2*lingerAtRest + stuck + time.Second))) // it never will

	l = fresh(time.Time{})
	is.True(!over(l, lingerTime-1, works))
	is.True(over(l, lingerTime, works)) // it works for ever

	l = fresh(time.Time{})
	is.True(!over(l, 0, rests))
	is.True(!over(l, lingerAtRest, activity{used: 6})) // it has worked since the last look
	is.True(!over(l, lingerAtRest, activity{used: 4})) // others have ended
	is.True(!over(l, lingerAtRest, activity{used: 2 + lingerWork}))
	is.True(over(l, lingerAtRest, activity{used: 3 + lingerWork})) // it works too hard

	l = fresh(time.Time{})
	is.True(!over(l, 0, rests))
	unread = true
	is.True(!over(l, lingerAtRest, rests)) // it may wait for its output to be read
	unread = false

	l = fresh(began.Add(time.Hour))
	is.True(!over(l, time.Hour-1, rests)) // those who were asked have all the grace
	is.True(over(l, time.Hour, works))
}
