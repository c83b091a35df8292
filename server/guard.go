package server

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/mcp-bash/mcp-bash/v2/internal/process"
)

// guardWord is the first argument of a program that is started as a guard.
const guardWord = "__guard"

// GuardCommand returns a value of [Options.Guard] for a program that begins with [RanGuard]: the
// program itself, even if another version has replaced it in the meantime. It is nil if the system
// needs no guard, or if the program cannot be found.
func GuardCommand() []string {
	switch runtime.GOOS {
	case "windows":
		return nil
	case "linux":
		return []string{"/proc/self/exe", guardWord}
	}
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{path, guardWord}
}

// RanGuard runs the guard if args, those of the program without its name, ask for it, and reports
// the exit code to end with. It returns when the server that has started this process is gone,
// however it ended, and nothing that it left running is alive. A failure is written to stderr.
func RanGuard(args []string, stderr io.Writer) (code int, ran bool) {
	if len(args) == 0 || args[0] != guardWord {
		return 0, false
	}
	if err := Guard(args[1:]); err != nil {
		fmt.Fprintln(stderr, "guard:", err)
		return 1, true
	}
	return 0, true
}

// Guard waits until the server that has started this process with [Options.Guard] is gone, and
// ends what it has left running. args are those that the server has added to the command.
func Guard(args []string) error { return process.Guard(args) }
