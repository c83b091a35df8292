package clients

import "sync"

var locked sync.Mutex

// Locked calls change while nobody else in this process is in Locked. Folders cannot be
// locked there: against other processes there is the look of [Change.Apply] before it writes.
func (f File) Locked(change func() error) error {
	locked.Lock()
	defer locked.Unlock()
	return change()
}
