package round

import (
	"cmp"
	"sync"
	"time"
)

// Used remembers ids that may be used only once, until they have expired (MR-07). It may be used by
// several goroutines; the zero value is ready to use.
//
// It remembers Max of them. Beyond that, those that were used first are forgotten, and every id
// that expires no later than they do counts as used: no id can be used twice, but one that old
// cannot be used at all.
type Used struct {
	Max int // 0: 65,536

	mu     sync.Mutex
	until  map[string]time.Time
	order  []string  // the keys of until, in the order in which they were used
	before time.Time // ids that expire until then count as used
}

// First reports whether id is used for the first time. After its expiry it is
// forgotten.
func (u *Used) First(id string, expires time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, used := u.until[id]; used || !expires.After(u.before) {
		return false
	}
	now, most := time.Now(), cmp.Or(u.Max, 1<<16)
	for len(u.order) > 0 {
		oldest := u.until[u.order[0]]
		expired := now.After(oldest)
		if !expired && len(u.order) < most {
			break
		}
		if !expired && oldest.After(u.before) {
			u.before = oldest
		}
		delete(u.until, u.order[0])
		u.order = u.order[1:]
	}
	if u.until == nil {
		u.until = make(map[string]time.Time)
	}
	u.until[id] = expires
	u.order = append(u.order, id)
	return true
}
