// Command mcp-bash serves a folder of scripts to AI clients over the Model
// Context Protocol.
//
// To make a server of your own with one more concern, fork, write a stage as in
// examples/custom-middleware and add a line to the list in chain.go.
package main

import (
	"os"
	"path/filepath"
	"slices"
)

func main() {
	args := os.Args[1:]
	if slices.Contains(jqNames, filepath.Base(os.Args[0])) { // the links that scripts find
		args = append([]string{"jq"}, args...)
	}
	os.Exit(execute(args, streams{os.Stdin, os.Stdout, os.Stderr}, os.Environ()))
}
