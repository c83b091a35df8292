package mcp

// Codes of this server, beside those of JSON-RPC.
const (
	CodeNotInitialized   = -32000 // before notifications/initialized
	CodeBusy             = -32000 // the backlog is full
	CodeResourceNotFound = -32002
	CodeShuttingDown     = -32003
	CodeNotShuttingDown  = -32005 // exit before shutdown
)
