// Package mcp contains the data types of the Model Context Protocol: its revisions, the shapes of
// its messages and the state of a session. It does nothing by itself.
//
//	package main
//
//	import (
//		"fmt"
//
//		"github.com/mcp-bash/mcp-bash/v2/mcp"
//	)
//
//	func main() {
//		session := &mcp.Session{}
//		session.Open(mcp.Negotiate("2025-06-18"), mcp.ClientCapabilities{})
//		fmt.Println(session.Revision().Version, session.Revision().Batches)
//	}
//
// # Stability
//
// [Session], [Terms], [Claim] and the error codes keep their meaning within a major
// version of this module. [Revision] and the shapes follow the protocol: a new
// revision of it adds rows and fields.
package mcp
