//go:build unix

package process

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guard is a process that outlives the server, however that ends, and then ends the commands that
// were running. It waits for the end of file on a socket whose other end only the server has. When
// the Runner is closed the guard is killed, since nothing is left for it to do.
type guard struct {
	running atomic.Bool // set under mu
	table   table

	mu     sync.Mutex // what follows
	proc   *os.Process
	gone   chan struct{} // closed when proc is
	begun  time.Time
	closed bool
}

// guardAgain is the least time between two starts of the guard. A guard that was killed is started again then.
const guardAgain = 10 * time.Second

// startGuard starts the guard if it is not running. It is called before a command is started, and returns
// when the guard cannot miss it: its program has been started, and only the end of the server wakes it.
func (r *Runner) startGuard() {
	g := &r.guard
	if len(r.Guard) == 0 || g.running.Load() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.running.Load() && !g.closed && time.Since(g.begun) >= guardAgain {
		_ = g.start(r) // after an error, a later command tries again
	}
}

// listed is the part of a hold that the guard knows.
type listed struct {
	runner *Runner
	entry  int // in the table of the guard; 0 for none
}

// list adds a command that has just been started to the table of the guard.
func (l *listed) list(pid int) { l.entry = l.runner.guard.table.add(pid, sinceBoot()) }

// unlist undoes list. It is called before the process id of the command can be reused.
func (l *listed) unlist() {
	l.runner.guard.table.remove(l.entry)
	l.entry = 0
}

// The caller holds mu.
func (g *guard) start(r *Runner) error {
	g.begun = time.Now()
	null, err := r.devNull()
	if err != nil {
		return err
	}
	list, err := g.table.open()
	if err != nil {
		return err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	prefix, groups := r.marks()
	argv := append(append([]string(nil), r.Guard...), prefix, groups)
	p, err := r.startOther(func() (*os.Process, error) {
		return os.StartProcess(argv[0], argv, &os.ProcAttr{
			Dir:   "/",
			Env:   []string{"GOMAXPROCS=1", "GOGC=10"}, // it needs few resources
			Files: []*os.File{theirs, null, null, list},
			Sys:   &syscall.SysProcAttr{Setsid: true}, // signals for the server's group must not reach it
		})
	})
	if err != nil {
		ours.Close()
		return err
	}
	gone, begun := make(chan struct{}), g.begun
	g.proc, g.gone = p, gone
	g.running.Store(true)
	go func() {
		defer close(gone)
		ours.Read(make([]byte, 1)) // until its end is closed
		ours.Close()
		p.Wait()
		r.reaped()
		g.running.Store(false)
		time.AfterFunc(guardAgain-time.Since(begun), r.startGuard)
	}()
	return nil
}

// endGuard ends the guard, and returns when it is gone. Nothing may be running any more.
func (r *Runner) endGuard() {
	g := &r.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	if !g.table.close() {
		return // it may be able to end what is left when this process is gone
	}
	if g.proc != nil {
		g.proc.Kill()
		<-g.gone
	}
}

// socketPair returns the two ends of a socket; ours is non-blocking.
func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	unix.SetNonblock(fds[0], true)
	return os.NewFile(uintptr(fds[0]), "guard"), os.NewFile(uintptr(fds[1]), "guard"), nil
}
