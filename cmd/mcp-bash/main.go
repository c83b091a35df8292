// Command mcp-bash serves a folder of scripts to AI clients over the Model
// Context Protocol.
//
// To make a server of your own with one more concern, fork, write a stage as in
// examples/custom-middleware and add a line to the list in chain.go.
package main

import (
	"os"
	"path/filepath"
)

func main() {
	args := os.Args[1:]
	if filepath.Base(os.Args[0]) == "jq" { // the link that tools find
		args = append([]string{"jq"}, args...)
	}
	os.Exit(run(args, streams{os.Stdin, os.Stdout, os.Stderr}, os.Environ()))
}
