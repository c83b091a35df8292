//go:build unix

package clients

import (
	"os"
	"syscall"
)

// Locked calls change while no other process of this user is in Locked: a change that is
// read, planned and applied inside is not lost. The lock is on the home folder, or else
// on the folder for temporary files: it leaves nothing behind, and unlike the folder of
// the file, the home folder always exists.
func (f File) Locked(change func() error) error {
	home, _ := os.UserHomeDir()
	folder, err := os.Open(home)
	if err != nil { // a user without a home folder
		folder, err = os.Open(os.TempDir())
	}
	if err != nil {
		return err
	}
	defer folder.Close() // releases the lock
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
