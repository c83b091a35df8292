//go:build unix

package process

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guardGrace is how long the commands of a server that was killed may take to end after TERM.
const guardGrace = DefaultGrace / 2

// Guard is the main function of the process that Runner.Guard starts. It waits until the
// Runner's process is gone, however it ended, ends the commands that are left, with TERM and
// then KILL, and returns. The two args are those that the Runner adds to its command; it also
// provides the descriptors 0 and 3.
func Guard(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("the guard is started by the server, with 2 arguments, not %d", len(args))
	}
	// It must survive the signals that end the server.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGUSR1,
		syscall.SIGUSR2)
	nameGuard()
	debug.FreeOSMemory()
	for b := []byte{0}; ; {
		if n, err := unix.Read(0, b); n <= 0 && err != unix.EINTR {
			break
		}
	}
	commands, err := readTable(os.NewFile(3, "table"))
	if err != nil {
		return err
	}
	endRemaining(commands, args[0], args[1])
	return nil
}

// endGroups ends process groups by their ids alone.
func endGroups(commands map[int]int64) {
	began := time.Now()
	for pid := range commands {
		signalToEnd(-pid)
	}
	for pause := firstPause; len(commands) > 0 && time.Since(began) < guardGrace+stuck; pause = longer(pause) {
		for pid := range commands {
			if unix.Kill(-pid, 0) != nil {
				delete(commands, pid)
			} else if time.Since(began) >= guardGrace {
				unix.Kill(-pid, unix.SIGKILL)
			}
		}
		time.Sleep(pause)
	}
}
