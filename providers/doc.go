// Package providers is where the contents of resources come from, one file a URI scheme.
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"log"
//
//		"github.com/mcp-bash/mcp-bash/v2/providers"
//	)
//
//	func main() {
//		set := providers.Set{Schemes: map[string]providers.Provider{
//			"file": providers.File{Roots: []string{"/project/resources"}},
//			"echo": providers.Echo{},
//		}}
//		contents, err := set.Read(context.Background(), "echo://hello")
//		if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Println(*contents[0].Text)
//	}
//
// The URI of a read comes from the client, and behind it from a model that has read who
// knows what. So each provider takes it for hostile: it names what may be reached before it
// reaches for anything, bounds size and time (SE-06), and says with one of the five
// faults of errors.go why it refuses. A provider that is not put into a Set does not exist;
// those that reach beyond this machine refuse all hosts until some are allowed.
//
// All types are plain values whose fields are not changed once they are used. Every Read may
// be called by several goroutines at once, and leaves no file and no process behind.
package providers
