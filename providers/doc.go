// Package providers reads the contents of resources, one file a URI scheme.
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
// The URI of a read comes from the client, and behind it from a model that has read untrusted text.
// So each provider treats it as hostile: it decides what may be reached before it reaches for
// anything, limits size and time (SE-06), and refuses with one of the five faults of
// errors.go. A provider that is not in a Set cannot be reached; those that connect to other
// machines refuse all hosts until some are allowed.
//
// All types are plain values whose fields must not be changed once they are in use. Every Read may
// be called by several goroutines at once, and leaves no file and no process behind.
package providers
