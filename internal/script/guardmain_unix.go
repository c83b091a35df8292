//go:build unix

package script

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardGrace is how long the commands of a server that was killed may take to end after TERM.
const guardGrace = DefaultGrace / 2

// Guard is what the process runs that Runner.Guard starts: it waits until that process is
// gone, however it ended, and ends the commands that it has left, in the same way. It returns
// when none is left. The two args are those that the Runner has added; the descriptors 0 and
// 3 are the Runner's too.
func Guard(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("the guard is started by the server, with 2 arguments, not %d", len(args))
	}
	// It is to outlive what ends the server.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGUSR1, syscall.SIGUSR2)
	nameGuard()
	t, err := openTable(os.NewFile(3, "table"))
	if err != nil {
		return err
	}
	debug.FreeOSMemory()
	for b := []byte{0}; ; {
		if n, err := unix.Read(0, b); n <= 0 && err != unix.EINTR {
			break
		}
	}
	commands, err := t.commands()
	if err != nil {
		return err
	}
	endLeft(commands, args[0], args[1])
	return nil
}
