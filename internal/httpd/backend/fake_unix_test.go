//go:build unix

package backend_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// TestMain lets the test binary act as a server on stdio, whose calls are instructions.
func TestMain(m *testing.M) {
	if os.Getenv("FAKE_SERVER") == "" {
		os.Exit(m.Run())
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		m := pipeline.Parse(append([]byte(nil), lines.Bytes()...))
		switch m.Method() {
		case "pid":
			answer(m, os.Getpid())
		case "garbage":
			fmt.Println("this is not JSON")
			answer(m, "done")
		case "long":
			fmt.Println(`{"jsonrpc":"2.0","method":"long","params":{"x":"` + strings.Repeat("x", 1<<16) + `"}}`)
			answer(m, "done")
		case "child": // outlives its parent, unless it is ended
			child := exec.Command("sleep", "600")
			if err := child.Start(); err != nil {
				panic(err)
			}
			answer(m, child.Process.Pid)
		case "exit":
			fmt.Fprintln(os.Stderr, "secret")
			os.Exit(3)
		case "hang":
		}
	}
}

func answer(m *pipeline.Message, result any) {
	a, err := m.Answer(result)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", a.Line())
}
