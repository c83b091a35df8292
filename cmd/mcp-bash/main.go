// Command mcp-bash serves a folder of scripts to AI clients over the Model
// Context Protocol.
//
// To build your own server with an additional stage, fork this repository, write the stage as in
// examples/custom-middleware and add a line to server/chain.go; or import the package server and pass the
// stage in Options.Chain.
package main

import (
	"os"
	"runtime"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func main() {
	args := os.Args[1:]
	if code, ran := server.RanGuard(args, os.Stderr); ran {
		os.Exit(code)
	}
	if len(args) > 0 && args[0] == helperWord {
		os.Exit(helper())
	}
	if jq.IsLink(os.Args[0]) { // the links that scripts find
		args = append([]string{"jq"}, args...)
	}
	environ := os.Environ()
	if runtime.GOOS == "windows" {
		environ = windowsEnviron(environ)
	}
	os.Exit(execute(args, streams{os.Stdin, os.Stdout, os.Stderr}, environ))
}
