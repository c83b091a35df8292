package process

import (
	"context"
	"runtime"
	"sync"
)

// tightLimit is the limit of processes below which the server creates its threads before the
// first command and runs only a few commands at once, while others wait: Go aborts a process
// that cannot create a thread. A running command takes a process and a thread.
const tightLimit = 256

// tightness limits how many commands run at once if the server may have only few processes.
type tightness struct {
	once  sync.Once
	slots chan struct{} // nil: no limit
}

// enter waits until another command may run. leave ends that.
func (t *tightness) enter(ctx context.Context) error {
	t.once.Do(t.prepare)
	if t.slots == nil {
		return nil
	}
	select {
	case t.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *tightness) leave() {
	if t.slots != nil {
		<-t.slots
	}
}

func (t *tightness) prepare() {
	limit := processLimit()
	if limit >= tightLimit {
		return
	}
	commands := max(1, int(limit)/8)
	t.slots = make(chan struct{}, commands)
	makeThreads(min(commands+8, int(limit)/3))
}

// makeThreads makes the Go runtime create at least n threads. It keeps idle threads.
func makeThreads(n int) {
	var here, done sync.WaitGroup
	leave := make(chan struct{})
	here.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread()
			here.Done()
			<-leave
			runtime.UnlockOSThread()
		})
	}
	here.Wait()
	close(leave)
	done.Wait()
}
