// Package limit bounds how often something happens.
package limit

import (
	"sync"
	"time"
)

// A Minute lets something happen a number of times a minute, and no more in any minute: one that happened at 10:00:30
// makes room at 10:01:30. A bucket that refills would let nearly twice as many pass in its first minute. It may be
// used by several goroutines.
type Minute struct {
	most int

	mu     sync.Mutex
	spans  []span // of the last minute, oldest first
	passed int    // in all of them
}

// A span is what passed within a moment. It counts for a minute after its end, so a Minute takes the same memory
// whatever its limit is, and what it promises holds.
type span struct {
	begin, end time.Time
	passed     int
}

// moment is how long a span is at most: the time for which room is made too late.
const moment = time.Minute / 64

// PerMinute returns a limit; 0 or less means no limit.
func PerMinute(most int) *Minute { return &Minute{most: most} }

// Allow reports whether it may happen now, and counts it if so.
func (m *Minute) Allow() bool {
	if m.most <= 0 {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.forget(now)
	if m.passed >= m.most {
		return false
	}
	m.passed++
	if last := len(m.spans) - 1; last >= 0 && now.Sub(m.spans[last].begin) < moment {
		m.spans[last].passed++
		m.spans[last].end = now
		return true
	}
	m.spans = append(m.spans, span{now, now, 1})
	return true
}

// Passed returns how many have passed in the last minute.
func (m *Minute) Passed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(time.Now())
	return m.passed
}

// forget makes room for what is older than a minute. m.mu is held.
func (m *Minute) forget(now time.Time) {
	for len(m.spans) > 0 && now.Sub(m.spans[0].end) >= time.Minute {
		m.passed -= m.spans[0].passed
		m.spans = m.spans[1:]
	}
}
