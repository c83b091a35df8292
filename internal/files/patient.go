package files

import (
	"errors"
	"syscall"
	"time"
)

// Patient calls open until it does not fail for want of descriptors, but no longer than a
// second: those of others come back as their calls end, and a project must not seem to have
// lost its files meanwhile.
func Patient(open func() error) (err error) {
	for pause := time.Millisecond; pause < time.Second/2; pause *= 2 {
		if err = open(); !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}
