package mcp

// Codes of MCP and of this server, besides those of JSON-RPC.
const (
	CodeNotInitialized         = -32000 // before notifications/initialized
	CodeBusy                   = -32000 // the backlog is full
	CodeResourceNotFound       = -32002 // in sessions; see Revision.Fault
	CodeShuttingDown           = -32003
	CodeNotShuttingDown        = -32005 // exit before shutdown
	CodeHeaderMismatch         = -32020 // over HTTP only
	CodeMissingCapability      = -32021
	CodeUnsupportedVersion     = -32022
	CodeURLElicitationRequired = -32042 // 2025-11-25 only
)
