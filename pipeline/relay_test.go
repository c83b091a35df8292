package pipeline

import (
	"testing"
	"testing/synctest"

	"github.com/matryer/is"
)

func TestFewGoroutinesWaitForTheBatonAndNoneAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		over := make(chan struct{})
		r := relay{next: make(chan func()), over: over}
		release, ran := make(chan struct{}), make(chan int, 100)
		for i := range 50 {
			r.hand(func() { <-release; ran <- i })
		}
		close(release)
		synctest.Wait()
		is.Equal(len(ran), 50)
		is.Equal(int(r.waiting.Load()), spare) // the others have returned
		for range 3 {
			r.hand(func() { ran <- 0 })
			synctest.Wait()
			is.Equal(int(r.waiting.Load()), spare) // a waiting one took it
		}
		is.Equal(len(ran), 53)
		close(over)
		synctest.Wait()
		is.Equal(int(r.waiting.Load()), 0)
		r.hand(func() { ran <- 0 })
		synctest.Wait()
		is.Equal(len(ran), 54) // a later yield still finds one
	})
}
