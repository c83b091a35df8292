package files

import (
	"errors"
	"syscall"
	"time"
)

// Patient calls open until it does not fail for want of descriptors, or on Windows because somebody
// else is just using the file, but no longer than a second: descriptors of others come back as their
// calls end, editors and virus scanners close their files, and a project must not seem to have lost
// its own meanwhile.
func Patient(open func() error) (err error) {
	for pause := time.Millisecond; pause < time.Second/2; pause *= 2 {
		if err = open(); !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) && !inUse(err) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}
