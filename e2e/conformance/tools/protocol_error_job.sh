#!/usr/bin/env bash
# mcp: {"description": "Works for a second and answers with an error of the protocol", "taskSupport": "required", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

sleep 1
mcp_fail -32603 "the job cannot go on"
