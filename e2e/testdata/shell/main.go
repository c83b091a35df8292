// Command shell takes the place of bash where tests run programs of Windows on a machine that has no
// bash for it: a shell in Go, enough for the scripts of the tests. It says nothing of how the bash of
// Git for Windows behaves.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

func main() {
	err := run(os.Args[1:])
	var status interp.ExitStatus
	switch {
	case errors.As(err, &status):
		os.Exit(int(status))
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
}

// run runs "FILE ARGUMENTS", "-c CODE NAME ARGUMENTS" or, reading only, "-n FILE".
func run(args []string) error {
	if len(args) == 0 {
		return errors.New("usage: bash FILE")
	}
	read := args[0] == "-n"
	if read {
		args = args[1:]
	}
	var code string
	if args[0] == "-c" {
		code, args = args[1], append([]string{"bash"}, args[min(3, len(args)):]...)
	} else {
		text, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		code = string(text)
	}
	tree, err := syntax.NewParser().Parse(strings.NewReader(code), args[0])
	if err != nil || read {
		return err
	}
	runner, err := interp.New(interp.StdIO(os.Stdin, os.Stdout, os.Stderr), interp.Params(append([]string{"--"}, args[1:]...)...))
	if err != nil {
		return err
	}
	return runner.Run(context.Background(), tree)
}
