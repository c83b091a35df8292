// Package handlers answers the methods of MCP, one file a family. A handler is
// named after its method: [Tools.Call] answers tools/call. The table in table.go
// is the index.
package handlers
