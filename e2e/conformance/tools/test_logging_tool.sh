#!/usr/bin/env bash
# mcp: {"description": "Logs a message", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_log_info conformance "This is logged"
printf 'A message was logged.'
