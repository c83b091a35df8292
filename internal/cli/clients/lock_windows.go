package clients

import "sync"

var locked sync.Mutex

// Locked calls change while no other goroutine of this process is in Locked. Folders
// cannot be locked on Windows: against other processes, [Change.Apply] compares the file
// before it writes.
func (f File) Locked(change func() error) error {
	locked.Lock()
	defer locked.Unlock()
	return change()
}
