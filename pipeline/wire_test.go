package pipeline

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"
)

func TestTheWireBelongsToOneAtATimeAndToEverybodyInTheEnd(t *testing.T) {
	is := is.New(t)
	w, sent := newWire(), 0
	var senders sync.WaitGroup
	for range 16 {
		senders.Go(func() {
			for range 500 {
				if !w.lock() {
					return
				}
				before := sent
				runtime.Gosched()
				sent = before + 1
				w.unlock()
			}
		})
	}
	senders.Wait()
	is.Equal(sent, 16*500)
	is.True(w.lock()) // it is free again
}

func TestNobodyWaitsForAWireThatWasCut(t *testing.T) {
	is := is.New(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		is.True(w.lock())
		var waiting sync.WaitGroup
		for range 3 {
			waiting.Go(func() { is.True(!w.lock()) })
		}
		synctest.Wait()
		close(w.cut)
		waiting.Wait()
		w.unlock() // nor does who has it
		for range 3 {
			if w.lock() {
				w.unlock()
			}
		}
	})
}
