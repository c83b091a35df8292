// Package mcp holds what the Model Context Protocol says: its revisions, the
// shapes of its messages and the state of a session. It does nothing.
package mcp
