package process

import (
	"bytes"
	"errors"
	"math"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// cpuWarning is how many more seconds of processor time a process gets to clean up, if it
// catches the signal at its limit.
const cpuWarning = 2

// set sets the limits of a process that has just been started. Processes that it has started
// itself by then, within some ten microseconds, have none.
func (l Limits) set(pid int, own *ownLimits) error {
	if l.Processes > 0 {
		if most, ok := own.processes(l.Processes); ok {
			if err := setLimit(pid, unix.RLIMIT_NPROC, most, most); err != nil {
				return err
			}
		}
	}
	for _, limit := range []struct {
		resource    int
		value, more int64 // more: what the hard limit has besides
	}{
		{unix.RLIMIT_DATA, l.Memory, 0}, {unix.RLIMIT_CPU, l.CPU, cpuWarning},
		{unix.RLIMIT_FSIZE, l.FileSize, 0}, {unix.RLIMIT_NOFILE, l.OpenFiles, 0},
	} {
		if limit.value <= 0 {
			continue
		}
		if err := setLimit(pid, limit.resource, uint64(limit.value), uint64(limit.value+limit.more)); err != nil {
			return err
		}
	}
	return nil
}

// setLimit lowers a limit of a process, both soft and hard, since a soft limit can be raised
// again. A limit that is lower already is kept.
func setLimit(pid, resource int, soft, hard uint64) error {
	var now unix.Rlimit
	wanted := unix.Rlimit{Cur: soft, Max: hard}
	err := unix.Prlimit(pid, resource, &wanted, &now)
	switch {
	case err == unix.EPERM: // perhaps because it would be raised
		if err := unix.Prlimit(pid, resource, nil, &now); err != nil {
			return ignoreEnded(err)
		}
	case err != nil:
		return ignoreEnded(err)
	case now.Cur >= soft && now.Max >= hard:
		return nil
	}
	wanted = unix.Rlimit{Cur: min(soft, now.Cur), Max: min(hard, now.Max)}
	if err != nil && wanted == now {
		return nil
	}
	return ignoreEnded(unix.Prlimit(pid, resource, &wanted, nil))
}

// ignoreEnded returns err, or nil if it means that the process has ended.
func ignoreEnded(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// ownLimits are the server's own limits, which its commands inherit, and the number of
// processes on the machine.
type ownLimits struct {
	once  sync.Once
	limit uint64 // of processes of the user; MaxUint64 for none

	mu    sync.Mutex
	there uint64    // processes and threads of the machine; 0 if unknown
	at    time.Time // when they were counted
}

// countValid is how long the number of processes of the machine is cached.
const countValid = time.Second

// processes returns the limit for a command that may have n processes. The system counts those
// of the user, in all containers, and does not show that number, but it does show how many
// there are on the machine, of all users. Part of the server's own limit is reserved for the
// server, which fails if it cannot start a thread.
func (o *ownLimits) processes(n int64) (most uint64, ok bool) {
	o.once.Do(func() { o.limit = processLimit() })
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); now.Sub(o.at) > countValid {
		o.there, o.at = tasksOfMachine(), now
	}
	most = uint64(math.MaxUint64)
	if o.there > 0 {
		most = o.there + uint64(n)
	}
	if o.limit != math.MaxUint64 {
		most = min(most, o.limit-spare(o.limit))
	}
	return most, most != math.MaxUint64
}

// spare returns how much of its limit of processes the server keeps for itself.
func spare(limit uint64) uint64 { return min(limit/4, 64) }

// tasksOfMachine returns the number of processes and threads, including kernel threads; 0 if unknown.
func tasksOfMachine() uint64 {
	b, _ := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 1/80 11206
	f := bytes.Fields(b)
	if len(f) < 4 {
		return 0
	}
	_, all, _ := bytes.Cut(f[3], []byte("/"))
	n, _ := strconv.ParseUint(string(all), 10, 64)
	return n
}
