// Command mcp-http serves a project of scripts, or any MCP server that speaks stdio, over HTTP.
//
//	mcp-http --project my-tools
//	mcp-http -- npx -y @modelcontextprotocol/server-everything
//
// # Structure
//
// A request passes, from the outside inwards, the time limit for slow clients ([slow]), the counters
// of [metrics], the limit on open requests, the check of Host and Origin ([origin]), the bearer token
// ([auth]), and then the handler of its transport: Streamable HTTP ([streamable]) or HTTP with SSE
// ([legacy]). A handler communicates with a server over a [backend.Conn], which is a stream to a
// project or to a program behind the stages; the handler does not depend on which. A [session.Session]
// routes each message of the server to the HTTP response that it belongs to, through an [events.Log], which keeps
// what the client may request again.
//
// # Several machines
//
// From 2026-07-28 on each request is independent, so any replica can answer it; the sealed state of a
// question can be opened by every replica with the same key. What replicas share, used states and
// tasks, goes through [server.Cluster]: in memory for one machine, over NATS with --cluster
// ([natscluster]). Each replica watches its own copy of the project.
//
// Sessions of older revisions stay with the replica that began them. Their ids begin with its name,
// so that a load balancer can send them there.
//
// With --use-workers a replica runs no tools: [server.Runner] sends calls to workers, which are this
// program with --worker. The package [calls] contains both ends and the messages between them.
package main

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func main() {
	args := os.Args[1:]
	if code, ran := server.RanGuard(args, os.Stderr); ran {
		os.Exit(code)
	}
	switch {
	case len(args) > 0 && args[0] == "jq":
		os.Exit(jq.Main(args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	case slices.Contains(jq.Names, filepath.Base(os.Args[0])): // the links that scripts find
		os.Exit(jq.Main(args, os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	os.Exit(execute(args, os.Stderr, os.Environ()))
}
