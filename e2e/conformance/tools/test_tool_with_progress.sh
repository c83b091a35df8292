#!/usr/bin/env bash
# mcp: {"description": "Reports progress while it works", "inputSchema": {"type": "object", "properties": {}}}
. "$MCP_SDK/tool-sdk.sh"

mcp_progress 0 "started" 100
sleep 0.05
mcp_progress 50 "half way" 100
sleep 0.05
mcp_progress 100 "done" 100
printf 'All of it is done.'
