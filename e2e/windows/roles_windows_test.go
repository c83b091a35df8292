package windows

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// roleVariable is the environment variable for the role of the test binary. A server passes it on because
// of its name, and metadata of a tool can set it.
const roleVariable = "MCP_E2E_ROLE"

// watcher is the address of the test, to which each process of a tree connects.
const watcher = "MCP_E2E_WATCHER"

var roles = map[string]func(args []string){
	"mirror": mirror,
	"tree":   tree,
}

// mirror prints what a program was given.
func mirror(args []string) {
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	file := os.Getenv("MCP_TOOL_ARGS_FILE")
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			fail(err)
		}
		file = fmt.Sprintf("%d bytes", len(text))
	}
	given := map[string]any{"args": args, "stdin": string(in), "json": os.Getenv("MCP_TOOL_ARGS_JSON"), "file": file}
	if err := json.NewEncoder(os.Stdout).Encode(given); err != nil {
		fail(err)
	}
}

// tree is a watched process, whose name is the first argument, with child processes for the other
// arguments. It runs until the test sends it a line.
func tree(args []string) {
	if len(args) == 0 {
		args = []string{"tool", "child", "detached"}
	}
	conn, err := net.Dial("tcp", os.Getenv(watcher))
	if err != nil {
		fail(err)
	}
	self, err := os.Executable()
	if err != nil {
		fail(err)
	}
	if len(args) > 1 {
		below := exec.Command(self, args[1:]...)
		below.Stdout, below.Stderr = os.Stdout, os.Stderr // which it holds open
		below.Env = append(os.Environ(), roleVariable+"=tree")
		if args[1] == "detached" {
			below.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
		}
		if err := below.Start(); err != nil {
			fail(err)
		}
	}
	fmt.Fprintln(conn, args[0], os.Getpid())
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		fail(err)
	}
	fmt.Println(strings.TrimSpace(line))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
