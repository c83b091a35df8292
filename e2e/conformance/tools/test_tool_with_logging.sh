#!/usr/bin/env bash
# mcp: {"description": "Logs three messages while it works", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_log_info conformance "Tool execution started"
sleep 0.05
mcp_log_info conformance "Tool processing data"
sleep 0.05
mcp_log_info conformance "Tool execution completed"
printf 'Three messages were logged.'
