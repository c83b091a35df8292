// Package server serves a project of scripts to MCP clients: its tools, resources,
// prompts and completions, over any number of streams at once.
//
//	package main
//
//	import (
//		"context"
//		"log"
//		"os"
//
//		"github.com/mcp-bash/mcp-bash/v2/pipeline"
//		"github.com/mcp-bash/mcp-bash/v2/server"
//	)
//
//	func main() {
//		ctx := context.Background()
//		srv, err := server.Open(ctx, server.Options{ProjectRoot: "my-project", Environ: os.Environ()})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer srv.Close()
//		if err := srv.Serve(ctx, pipeline.NewNDJSON(os.Stdin, os.Stdout, 64<<20)); err != nil {
//			log.Print(err)
//		}
//	}
//
// [Open] finds the project and watches it. [Server.Serve] serves one client over one stream, from
// its first message until the stream ends; each call of it is a session of its own, with its own
// lifecycle, rate limits, subscriptions and running calls. All sessions share the project, the
// watch over it, its compiled schemas and the slots for running scripts. [Server.Close] ends all
// sessions and leaves no script, goroutine or temporary file behind.
//
// A stream is a [github.com/sourcegraph/jsonrpc2.ObjectStream]: newline-delimited
// JSON is [pipeline.NewNDJSON], and other framings work as well.
//
// [Wrap] does the same with a server that somebody else wrote: a program that speaks over its standard
// streams.
//
// [Options.Chain] adds stages to the chain that each message passes,
// [Options.Methods] adds methods. docs/LIBRARY.md is the guide to both.
//
// # Stability
//
// [Open], [Server], [Wrap], [Wrapped] and the fields of [Options] and [Wrapping] keep their meaning within a major
// version; fields are added. The order of the usual stages is not part of it.
package server
