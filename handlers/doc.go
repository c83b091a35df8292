// Package handlers answers the methods of MCP, one file a family. A handler is
// named after its method: [Tools.Call] answers tools/call. [Table] is the index: a
// row for each method has everything that applies to it. A server of one row:
//
//	package main
//
//	import (
//		"context"
//		"log"
//		"os"
//
//		"github.com/mcp-bash/mcp-bash/v2/handlers"
//		"github.com/mcp-bash/mcp-bash/v2/pipeline"
//	)
//
//	func main() {
//		methods := handlers.NewMethods(handlers.Method{Name: "ping", Early: true, Handle: handlers.Ping})
//		p := pipeline.New(pipeline.NewNDJSON(os.Stdin, os.Stdout, 64<<20), nil, methods.Serve, pipeline.Options{})
//		if err := p.Run(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// The package server puts all of them together; programs that serve a project need
// only that one.
package handlers
