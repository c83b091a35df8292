package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcp-bash/mcp-bash/v2/e2e/rig"
	"github.com/mcp-bash/mcp-bash/v2/mcp/mcptest"
)

// traffic is the variable with the folder where a server of a script leaves what
// passed between it and its client.
const traffic = "MCP_BASH_TEST_TRAFFIC"

// recorded is main, with a server that leaves its traffic.
func recorded() {
	folder := os.Getenv(traffic)
	if folder == "" || !serves(os.Args[1:]) || isTerminal(os.Stdin) {
		main()
	}
	code, err := record(folder, streams{os.Stdin, os.Stdout, os.Stderr})
	if err != nil {
		panic(err)
	}
	os.Exit(code)
}

// serves reports whether a command line starts a server.
func serves(args []string) bool {
	if at := slices.Index(args, "--"); at >= 0 {
		args = args[:at] // what follows is another program's
	}
	help := slices.ContainsFunc(args, func(a string) bool { return a == "help" || a == "--help" || a == "-h" })
	return len(args) == 0 || slices.Contains(args, "serve") && !help
}

// record runs the program between two pipes and keeps what passes.
func record(folder string, s streams) (int, error) {
	sent, written, errKeep := mcptest.Keep(folder)
	in, client, errIn := os.Pipe()
	server, out, errOut := os.Pipe()
	if err := errors.Join(errKeep, errIn, errOut); err != nil {
		return 0, err
	}
	go func() {
		io.Copy(io.MultiWriter(sent, client), s.in)
		client.Close()
	}()
	passed := make(chan struct{})
	go func() {
		io.Copy(io.MultiWriter(written, s.out), server)
		server.Close() // a client that reads no more is one for the server too
		close(passed)
	}()
	code := execute(os.Args[1:], streams{in, out, s.err}, os.Environ())
	out.Close()
	<-passed
	return code, nil
}

// checkTraffic has what the servers of a script write held against the schemas
// of the protocol when the script is over. The files of the script are older than any server.
func checkTraffic(env *testscript.Env) error {
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("the script is not run by a test")
	}
	folder := t.TempDir()
	env.Setenv(traffic, folder)
	env.Defer(func() { mcptest.Kept(t, folder) })
	rig.Settle(t)
	return nil
}
