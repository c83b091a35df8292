//go:build !linux

package process

import (
	"errors"
	"os"
	"sync"
	"time"
)

// A source is the server's end of a pipe that the command writes to.
type source = *os.File

func sourceOf(f *os.File) (source, error) { return f, nil }

// copying is the state of the goroutines that read the outputs, one each, and of one that waits for the
// command's end.
type copying struct {
	done  sync.WaitGroup // the outputs
	stuck chan struct{}  // closed to stop waiting for the command
}

// holdsPipes is false: each output is read to its end of file.
const holdsPipes = false

func (s *streams) prepare() error {
	s.stuck = make(chan struct{})
	return nil
}

func (s *streams) watch(*output) error { return nil }

func (s *streams) release() {}

// copyUntilEnd copies output until the command has ended, and returns nil. After giveUp it
// returns early, with a channel that is closed when the command ends.
func (s *streams) copyUntilEnd(f family) (stuck <-chan struct{}) {
	s.copyInput()
	for _, o := range s.outputs {
		s.done.Go(o.copy)
	}
	ended := make(chan struct{})
	go func() { f.wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-s.stuck:
		return ended
	}
}

func (s *streams) giveUp() { close(s.stuck) }

func (s *streams) pause(d time.Duration) { time.Sleep(d) }

func (s *streams) unread() bool {
	for _, o := range s.outputs {
		if readable(o.from) {
			return true
		}
	}
	return false
}

// copyRest waits until all output is copied.
func (s *streams) copyRest(bool) {
	for _, o := range s.outputs {
		if o.lasting {
			o.from.SetReadDeadline(time.Now())
			continue
		}
		o.from.SetReadDeadline(time.Now().Add(drainTime)) // without writers, the end of file comes at once
	}
	s.done.Wait()
}

func (o *output) copy() {
	b := buffers.Get().(*buffer)
	defer buffers.Put(b)
	for {
		n, err := o.from.Read(b[:])
		o.write(b[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			o.rest(b[:])
		}
		if err != nil {
			return
		}
	}
}

// rest copies what is in the pipe although another process holds it open. What the command
// wrote before its end is there by now, so nothing of it is lost, however late this
// goroutine ran. A process that never stops writing cannot block this: no more than a full
// pipe is read.
func (o *output) rest(b []byte) {
	o.from.SetReadDeadline(time.Time{})
	for total := 0; total < pipeSize; {
		n := readNow(o.from, b)
		if n <= 0 {
			return
		}
		o.write(b[:n])
		total += n
	}
}
