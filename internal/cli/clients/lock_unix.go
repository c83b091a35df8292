//go:build unix

package clients

import (
	"os"
	"syscall"
)

// Locked calls change while nobody else of this user is in Locked, whichever process it is:
// read, planned and applied in it, no change is lost. The lock is one on the home folder,
// or else that of temporary files: it leaves nothing behind, and the folder is there
// when that of the file is not yet.
func (f File) Locked(change func() error) error {
	home, _ := os.UserHomeDir()
	folder, err := os.Open(home)
	if err != nil { // a user without one
		folder, err = os.Open(os.TempDir())
	}
	if err != nil {
		return err
	}
	defer folder.Close() // ends the lock
	if err := lock(folder); err != nil {
		return &os.PathError{Op: "lock", Path: folder.Name(), Err: err}
	}
	return change()
}

func lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}
