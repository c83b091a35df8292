// Package limit bounds how often something happens.
package limit

import (
	"slices"
	"sync"
	"time"
)

// A Minute lets something happen a number of times a minute, and no more in any minute: one that happened at 10:00:30
// makes room at 10:01:30. A bucket that refills would let nearly twice as many pass in its first minute. It may be
// used by several goroutines.
type Minute struct {
	most  int
	begun time.Time

	mu     sync.Mutex
	passed []time.Duration // when they passed in the last minute, since begun
}

// PerMinute returns a limit; 0 or less means no limit.
func PerMinute(most int) *Minute { return &Minute{most: most, begun: time.Now()} }

// Allow reports whether it may happen now, and counts it if so.
func (m *Minute) Allow() bool {
	if m.most <= 0 {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.forget()
	if len(m.passed) >= m.most {
		return false
	}
	m.passed = append(m.passed, now)
	return true
}

// Passed returns how many have passed in the last minute.
func (m *Minute) Passed() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget()
	return len(m.passed)
}

// forget makes room for what is older than a minute. m.mu is held.
func (m *Minute) forget() (now time.Duration) {
	now = time.Since(m.begun)
	younger, _ := slices.BinarySearch(m.passed, now-time.Minute+1)
	m.passed = m.passed[younger:]
	return now
}
