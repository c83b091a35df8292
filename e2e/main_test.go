// Package e2e tests the program as its users run it: the built binary, over real
// pipes, with real scripts. The client is the official Go SDK; recorded conversations
// pin the messages on the wire; the commands in the documents are run.
package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/internal/shelltest"
)

// binary is the built program; see TestMain.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv(beClient) != "" {
		client()
	}
	if folder := os.Getenv(traffic); folder != "" {
		passOn(folder)
	}
	os.Exit(build(m.Run))
}

// build builds the program into a folder that lasts as long as run.
func build(run func() int) int {
	dir, err := os.MkdirTemp("", "mcp-bash-e2e.")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "mcp-bash"+suffix)
	if err := rig.Build(dir, "mcp-bash", "mcp-http"); err != nil { // the second for the commands in documents
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shelltest.AtOnce(4) // most tests wait for the program
	return run()
}
