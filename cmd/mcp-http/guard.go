package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/mcp-bash/mcp-bash/v2/server"
)

// guardWord is the command of the process that ends what this program has left running when it is
// killed. Only this program calls it.
const guardWord = "__guard"

// guardCommand is what starts it: this very program, also where another version has taken its
// place meanwhile. Nil where the system needs none.
func guardCommand() []string {
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

// guard runs it, and returns the exit code.
func guard(args []string) int {
	if err := server.Guard(args); err != nil {
		fmt.Fprintln(os.Stderr, "mcp-http:", err)
		return 1
	}
	return 0
}
