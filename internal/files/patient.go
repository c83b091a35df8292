package files

import (
	"errors"
	"syscall"
	"time"
)

// Patient retries open for up to a second while it fails for lack of file descriptors, or on
// Windows because another program is using the file: descriptors become free as calls end, editors
// and virus scanners close their files, and a project must not seem to have lost its files
// meanwhile.
func Patient(open func() error) (err error) {
	for pause := time.Millisecond; pause < time.Second/2; pause *= 2 {
		if err = open(); !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) && !inUse(err) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}
