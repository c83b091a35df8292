package round

import (
	"sync"
	"time"
)

// Used remembers what may be used only once, until it has expired (MR-07). It
// may be used by several goroutines; the zero value is ready.
type Used struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// First reports whether id is used for the first time. After its expiry it is
// forgotten.
func (u *Used) First(id string, expires time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, used := u.until[id]; used {
		return false
	}
	now := time.Now()
	for old, when := range u.until {
		if now.After(when) {
			delete(u.until, old)
		}
	}
	if u.until == nil {
		u.until = make(map[string]time.Time)
	}
	u.until[id] = expires
	return true
}
