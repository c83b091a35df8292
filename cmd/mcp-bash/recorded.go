//go:build recorded

// The program that the scripts in testdata run: its servers leave what passes between them and their clients. It is
// built with a tag, because the binary of the tests, with all that they import, takes three times as long to start.
package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func init() {
	folder := os.Getenv("MCP_BASH_TEST_TRAFFIC")
	if folder == "" || !serves(os.Args) || isTerminal(os.Stdin) {
		return // to main
	}
	go func() { // as the goroutine of init keeps its thread
		code, err := record(folder, streams{os.Stdin, os.Stdout, os.Stderr})
		if err != nil {
			panic(err)
		}
		os.Exit(code)
	}()
	select {}
}

// serves reports whether a command line starts a server.
func serves(args []string) bool {
	if name := strings.TrimSuffix(filepath.Base(args[0]), ".exe"); name != "mcp-bash" {
		return false // a link that scripts find, or the guard
	}
	if at := slices.Index(args, "--"); at >= 0 {
		args = args[:at] // what follows is another program's
	}
	help := slices.ContainsFunc(args, func(a string) bool { return a == "help" || a == "--help" || a == "-h" })
	return len(args) == 1 || slices.Contains(args, "serve") && !help
}

// record runs the program between two pipes and keeps what passes, in two files as mcptest.Keep makes them.
func record(folder string, s streams) (int, error) {
	folder, errFolder := os.MkdirTemp(folder, "run.")
	sent, errSent := os.Create(filepath.Join(folder, "sent"))
	written, errWritten := os.Create(filepath.Join(folder, "written"))
	in, client, errIn := os.Pipe()
	server, out, errOut := os.Pipe()
	if err := errors.Join(errFolder, errSent, errWritten, errIn, errOut); err != nil {
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
