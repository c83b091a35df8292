package server

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/matryer/is"
)

func TestReportsOfTheServerWaitForTheBaseline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		var b baseline
		start := time.Now()
		b.wait(t.Context())
		is.Equal(time.Since(start), time.Duration(0)) // no baseline is expected
		b.expect()
		time.AfterFunc(time.Second, b.take)
		b.wait(t.Context())
		is.Equal(time.Since(start), time.Second)
		b.wait(t.Context()) // may be called again
		is.Equal(time.Since(start), time.Second)
	})
}
