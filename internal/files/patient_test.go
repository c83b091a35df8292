package files

import (
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

func TestOpeningIsRetriedWhenDescriptorsRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		began := time.Now()
		tries := 0
		is.NoErr(Patient(func() error {
			if tries++; tries < 4 {
				return &fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}
			}
			return nil
		}))
		is.Equal(tries, 4)
		is.Equal(Patient(func() error { return syscall.ENFILE }), error(syscall.ENFILE))
		is.True(time.Since(began) < 2*time.Second) // in fake time
	})
}

func TestAnyOtherErrorIsReturnedAtOnce(t *testing.T) {
	is := is.New(t)
	tries := 0
	is.Equal(Patient(func() error { tries++; return fs.ErrNotExist }), fs.ErrNotExist)
	is.Equal(tries, 1)
}
