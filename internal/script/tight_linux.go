package script

import (
	"context"
	"runtime"
	"sync"
)

// A server that may have only few processes would be aborted by Go when it gets no further
// thread. So with a limit below tightLimit it makes its threads before the first command, and
// runs few commands at once; the others wait. A running command takes a process and a thread.
const tightLimit = 256

// tightness is what a server with few processes does about it.
type tightness struct {
	once  sync.Once
	slots chan struct{} // nil: there are processes enough
}

// enter waits for room to run a command. leave gives it back.
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

// makeThreads makes Go have at least n threads. It keeps those that it does not need.
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

// isTight reports whether commands may have to wait for room.
func (r *Runner) isTight() bool {
	r.tight.once.Do(r.tight.prepare)
	return r.tight.slots != nil
}
